import { Time } from '../../parts/time.tsx';
import { inWords } from '../../parts/words.ts';
import { Person } from '../../parts/person.tsx';
import * as t from '../../texts/desk.tsx';
import styles from './desk.module.css';

interface Entry {
  readonly at: string;
  readonly bySubject: string;
  readonly act: string;
  readonly reason: string;
}

/** The acts of people on one operation, as the operation's answer contains them. */
export function AuditList({ entries }: { readonly entries: readonly object[] }) {
  return (
    <ol className={styles.lines}>
      {(entries as readonly Entry[]).map(({ at, bySubject, act, reason }) => (
        <li key={`${at} ${act}`}>
          <p>
            {t.titleByAt(
              <strong>{inWords(act)}</strong>,
              <Person subject={bySubject} />,
              <Time at={at} />,
            )}
          </p>
          <p className={styles.said}>{reason}</p>
        </li>
      ))}
    </ol>
  );
}
