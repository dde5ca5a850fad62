import type { components } from '../../../../client/schema.ts';
import { Id } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { spanWords, inWords } from '../../parts/words.ts';
import * as t from '../../texts/lifecycles.tsx';
import styles from './attempts.module.css';

type Attempt = components['schemas']['Operation']['attempts'][number];

/** A pause between attempts that is shorter than this is not shown. */
const PAUSE_MS = 1_000;

interface AttemptsProps {
  readonly attempts: readonly Attempt[];
  readonly acceptedAt: string;
}

function AttemptItem({
  attempt,
  pauseMs,
}: {
  readonly attempt: Attempt;
  readonly pauseMs: number;
}) {
  const { n, at, answer, explanation, ledgerCode, submissionId, offset, tries, since } = attempt;
  return (
    <li className={styles.attempt}>
      {pauseMs < PAUSE_MS ? null : <p className={styles.pause}>{t.after(spanWords(pauseMs))}</p>}
      <p>
        <strong>{t.attempt(n, inWords(answer))}</strong>{' '}
        <span className={styles.when}>
          <Time at={at} as="exact" />
        </span>
      </p>
      <p>{explanation}</p>
      <p className={styles.small}>
        {ledgerCode === undefined ? null : t.ledgerCode(<code>{ledgerCode}</code>)}
        {t.submission(<Id id={submissionId} what={t.submissionId} />)}
        {offset === undefined ? null : t.offsetOf(offset)}
        {tries === undefined || since === undefined
          ? null
          : t.theLastOfTriesSinceThose(tries, <Time at={since} as="exact" />)}
      </p>
    </li>
  );
}

/** The attempts of an operation and the answers of the ledger, newest first. */
export function Attempts({ attempts, acceptedAt }: AttemptsProps) {
  if (attempts.length === 0) return <p>{t.nothingHasBeenSentToThe}</p>;
  return (
    <ol className={styles.attempts}>
      {attempts
        .map((attempt, index) => {
          const before = attempts[index - 1]?.at ?? acceptedAt;
          const pauseMs = Date.parse(attempt.at) - Date.parse(before);
          return <AttemptItem key={attempt.submissionId} attempt={attempt} pauseMs={pauseMs} />;
        })
        .reverse()}
    </ol>
  );
}
