import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { resume } from '../acts/drive.ts';
import { Connection, LedgerBanner } from './connection.tsx';
import { useLive } from '../live/use-live.ts';
import { Button } from '../parts/button.tsx';
import { partyName } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { PATHS } from '../paths.ts';
import type { Caller } from '../api/caller.tsx';
import { CallerProvider, rightsOf, rolesOf } from '../api/caller.tsx';
import { Dock } from './dock.tsx';
import { Keys } from './keys.tsx';
import { navFor } from './nav.ts';
import { Palette } from './palette.tsx';
import { SessionWatch } from './session-watch.tsx';
import { Settings } from './settings.tsx';
import styles from './shell.module.css';
import { signOut } from './sign-out.ts';

const ROLE_WORDS = { user: 'User', provider: 'Provider', operator: 'Operator' } as const;

interface SideProps {
  readonly caller: Caller;
  readonly isOpen: boolean;
  readonly onChosen: () => void;
}

function Side({ caller, isOpen, onChosen }: SideProps) {
  return (
    <nav className={styles.side} aria-label="Pages" data-open={isOpen}>
      <Link to={PATHS.home} className={styles.brand}>
        <img src="/ui/icon.svg" alt="" width="22" height="22" />
        Tenure
      </Link>
      {navFor(rightsOf(caller)).map(({ name, entries }) => (
        <div key={name} className={styles.group}>
          <p className={styles.groupName}>{name}</p>
          {entries.map((one) => (
            <Link key={one.to} to={one.to} className={styles.entry} onClick={onChosen}>
              {one.name}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

interface TopProps {
  readonly caller: Caller;
  readonly onFind: () => void;
  readonly onMenu: () => void;
}

function Top({ caller, onFind, onMenu }: TopProps) {
  const roles = [...rolesOf(caller)].map((role) => ROLE_WORDS[role]).join(', ');
  return (
    <header className={styles.top}>
      <span className={styles.burger}>
        <Button look="quiet" icon="menu" aria-label="Pages" onClick={onMenu} />
      </span>
      <button type="button" className={styles.find} onClick={onFind}>
        <Icon name="search" />
        <span>Find…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div className={styles.topEnd}>
        <Connection />
        <span className={styles.who} title={caller.party}>
          {caller.name}
          <small>
            {partyName(caller.party)} · {roles}
          </small>
        </span>
        <Button look="quiet" icon="dots" aria-label="Settings" popoverTarget="settings" />
        <div id="settings" popover="auto" className={styles.popup}>
          <Settings />
          <Link
            to={PATHS.settings}
            onClick={({ currentTarget }) =>
              currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
            }
          >
            Where you are signed in
          </Link>
          <Button icon="out" onClick={() => void signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </header>
  );
}

/** The frame around every page of a signed-in caller. */
export function Shell({
  caller,
  readAtMs,
}: {
  readonly caller: Caller;
  readonly readAtMs: number;
}) {
  const [isFinding, setFinding] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shownPath = useRef(path);
  useLive(true);
  useEffect(() => resume(caller.party), [caller.party]);
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    // Moves the focus to the start of a new page, for keyboards and screen readers.
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <CallerProvider value={caller}>
      <a href="#main" className={styles.skip}>
        Skip to content
      </a>
      <div className={styles.shell}>
        <Side caller={caller} isOpen={isMenuOpen} onChosen={() => setMenuOpen(false)} />
        <Top
          caller={caller}
          onFind={() => setFinding(true)}
          onMenu={() => setMenuOpen(!isMenuOpen)}
        />
        <main id="main" ref={main} tabIndex={-1} className={styles.main}>
          <LedgerBanner />
          <Outlet />
        </main>
      </div>
      <Dock />
      <Keys onPalette={() => setFinding(true)} />
      {isFinding ? <Palette onClose={() => setFinding(false)} /> : null}
      <SessionWatch readAtMs={readAtMs} />
    </CallerProvider>
  );
}
