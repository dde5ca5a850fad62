import type { ConnectionState } from '../live/connection.ts';
import { useConnection, useLedgerAwaySinceMs } from '../live/connection.ts';
import { classes } from '../parts/classes.ts';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/note.tsx';
import { useTickMs } from '../parts/time.tsx';
import { spanWords } from '../parts/words.ts';
import * as t from '../texts/shell.tsx';
import styles from './shell.module.css';

const WORDS: Readonly<Record<ConnectionState, readonly [words: string, more: string]>> = {
  live: [t.live, ''],
  reconnecting: [t.notLive, t.reconnecting],
  offline: [t.offline, ''],
  'ledger-away': [t.ledgerAway, ''],
};

/** Shows, next to the caller's name, whether the page is updated live. */
export function Connection() {
  const state = useConnection();
  if (state === null) return null;
  const [words, more] = WORDS[state];
  return (
    <span className={classes(styles.live, state !== 'live' && styles.dead)} role="status">
      <Icon name="dot" />
      <span>
        {words}
        {more === '' ? null : <small>{more}</small>}
      </span>
    </span>
  );
}

/** The banner above every page while the browser is offline or the ledger does not answer. */
export function LedgerBanner() {
  const state = useConnection();
  const sinceMs = useLedgerAwaySinceMs();
  const nowMs = useTickMs();
  if (state === 'offline') {
    return (
      <div className={styles.banner} role="status">
        <Note tone="warn" title={t.yourBrowserIsOffline}>
          <p>{t.thePageShowsItsLastState}</p>
        </Note>
      </div>
    );
  }
  if (sinceMs === null) return null;
  return (
    <div className={styles.banner}>
      <Note
        tone="warn"
        title={t.theLedgerHasNotAnsweredFor(spanWords(Math.max(1_000, nowMs - sinceMs)))}
      >
        <p>{t.yourChangesAreKeptAndAre}</p>
      </Note>
    </div>
  );
}
