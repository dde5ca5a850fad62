import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { NavigateOptions } from '@tanstack/react-router';
import { shortId } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { PATHS } from '../paths.ts';
import { useRoles } from '../api/caller.tsx';
import type { Found } from './find.ts';
import { find } from './find.ts';
import type { Hit } from './find-words.ts';
import { useHits } from './find-words.ts';
import { navFor } from './nav.ts';
import styles from './shell.module.css';

interface Choice {
  readonly key: string;
  readonly name: string;
  readonly what: string;
  readonly go: Pick<NavigateOptions, 'to' | 'params'>;
}

const PAGES_OF = {
  'install-request': [PATHS.request, 'Install request'],
  install: [PATHS.install, 'Installation'],
  license: [PATHS.license, 'Licence'],
  renewal: [PATHS.renewal, 'Renewal'],
} as const;

function choiceOf(found: Found): Choice {
  if (found.kind === 'operation') {
    const { commandId } = found;
    const go = { to: PATHS.operation, params: { commandId } } as Choice['go'];
    return { key: `own-${commandId}`, name: commandId, what: 'Operation', go };
  }
  if (found.kind === 'ops-operation') {
    const { id, commandId } = found;
    const go = { to: PATHS.opsOperation, params: { id } } as Choice['go'];
    return { key: id, name: commandId, what: 'Operation on the desk', go };
  }
  const [to, what] = PAGES_OF[found.kind];
  const { contractId } = found;
  const go = { to, params: { contractId } } as Choice['go'];
  return { key: contractId, name: shortId(contractId), what, go };
}

const choiceOfHit = ({ kind, contractId, name, what }: Hit): Choice => {
  const go = { to: PAGES_OF[kind][0], params: { contractId } } as Choice['go'];
  return { key: `hit-${contractId}`, name, what, go };
};

/** Matches an identifier, which has no spaces and at least six characters. */
const IDENTIFIER = /^\S{6,}$/u;

/** How long nothing must be typed before an identifier is looked up in the API. */
const PAUSE_MS = 250;

/** Returns the text once it has not changed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

function useChoices(text: string): {
  readonly choices: readonly Choice[];
  readonly isLooking: boolean;
} {
  const roles = useRoles();
  const pages = navFor(roles).flatMap(({ name: group, entries }) =>
    entries.map(({ name, to }) => ({ key: to, name, what: group, go: { to } as Choice['go'] })),
  );
  const hits = useHits(text);
  const paused = usePaused(text);
  // If the words have found something, they are not an identifier, for which the API would answer 404.
  const mayBeId = IDENTIFIER.test(text) && hits?.length === 0;
  const looking = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) => find(text, roles.has('operator'), signal),
    enabled: mayBeId && paused === text,
    staleTime: 5_000,
  });
  const wanted = text.toLowerCase();
  const matching = pages.filter(({ name }) => name.toLowerCase().includes(wanted));
  return {
    choices: [
      ...matching,
      ...(hits ?? []).map(choiceOfHit),
      ...(mayBeId ? (looking.data ?? []) : []).map(choiceOf),
    ],
    isLooking:
      (text.length > 1 && hits === undefined) || looking.isFetching || (mayBeId && paused !== text),
  };
}

/** The palette, which finds pages by name, and other things by number, name, reference or identifier. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const { choices, isLooking } = useChoices(text.trim());
  const chosen = choices[Math.min(at, choices.length - 1)];
  const open = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    void navigate(choice.go as NavigateOptions);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setAt((before) => (before + by + choices.length) % Math.max(1, choices.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(chosen);
    }
  };
  return (
    <Dialog title="Find" onClose={onClose}>
      <TextField
        label="Page, licence number, name, order reference or ID"
        value={text}
        autoFocus
        onChange={(value) => {
          setText(value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls="palette-results"
        aria-activedescendant={chosen === undefined ? undefined : `palette-${chosen.key}`}
      />
      <div id="palette-results" className={styles.results} role="listbox" aria-label="Results">
        {choices.map((choice) => (
          <button
            key={choice.key}
            id={`palette-${choice.key}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            className={styles.result}
            onClick={() => open(choice)}
          >
            <span>{choice.name}</span>
            <small>{choice.what}</small>
          </button>
        ))}
      </div>
      {choices.length === 0 ? (
        <p role="status">
          {isLooking ? 'Searching…' : 'Nothing found that you have permission to see.'}
        </p>
      ) : null}
    </Dialog>
  );
}
