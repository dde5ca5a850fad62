import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useRoles } from '../api/caller.tsx';
import { navFor } from './nav.ts';
import styles from './shell.module.css';

/** Whether a person is typing in a field. In that case keys are not commands. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName));

/** How soon after `g` the next key must be pressed. */
const SEQUENCE_MS = 1_200;

/** Focuses the link of the next or previous row of the list. */
function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody tr a:first-of-type')];
  const rows = links.filter((link) => link.closest('tr')?.querySelector('a') === link);
  const at = rows.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const next = rows.at(at === -1 ? (by === 1 ? 0 : -1) : (at + by + rows.length) % rows.length);
  next?.focus();
}

function useKeys(onPalette: () => void, onHelp: () => void): void {
  const navigate = useNavigate();
  const roles = useRoles();
  useEffect(() => {
    let sinceG = Number.NEGATIVE_INFINITY;
    const entries = navFor(roles).flatMap((group) => group.entries);
    const acts: Readonly<Record<string, () => void>> = {
      '?': onHelp,
      '/': onPalette,
      j: () => moveRow(1),
      k: () => moveRow(-1),
    };
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.timeStamp - sinceG < SEQUENCE_MS) {
        const chosen = entries.find(({ key }) => key === event.key);
        sinceG = Number.NEGATIVE_INFINITY;
        if (chosen !== undefined) void navigate({ to: chosen.to });
        return;
      }
      if (event.key === 'g') {
        sinceG = event.timeStamp;
        return;
      }
      const act = acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, roles, onPalette, onHelp]);
}

function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const groups = navFor(useRoles());
  const lines: readonly (readonly [string, string])[] = [
    ['Ctrl K', 'Find a page, lifecycle, contract ID or command ID'],
    ['/', 'The same'],
    ['j  k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['Esc', 'Close a dialog'],
    ['?', 'These keys'],
    ...groups.flatMap(({ entries }) => entries.map(({ key, name }) => [`g ${key}`, name] as const)),
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={styles.keys}>
        {lines.map(([keys, what]) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The keyboard commands of every page, and the sheet that lists them. */
export function Keys({ onPalette }: { readonly onPalette: () => void }) {
  const [isShown, setShown] = useState(false);
  useKeys(onPalette, () => setShown(true));
  return isShown ? <KeysHelp onClose={() => setShown(false)} /> : null;
}
