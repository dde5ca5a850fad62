import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Id, Party } from '../../parts/copy.tsx';
import { Section } from '../../parts/page.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { bytesWords, inWords, sentence, spanWords } from '../../parts/words.ts';
import { ANSWERS } from './desk-words.ts';
import styles from './timeline.module.css';
import type { OpsOperation } from './ops-operation.tsx';
import type { Place, TimelineRow } from './timeline-rows.ts';
import { placesOf, timelineRows } from './timeline-rows.ts';

/** Number of rows that are shown at first, because an operation may have been tried for weeks. */
const SHOWN = 40;

const WHAT: Readonly<Record<string, string>> = {
  accepted: 'Accepted',
  queued: 'First in line',
  finished: 'Ended',
};

function AttemptText({ row: { attempt, startMs, endMs } }: { readonly row: TimelineRow }) {
  const now = useNowMs();
  if (attempt === null) return null;
  const [tone, words] = ANSWERS[attempt.answer] ?? ['plain', inWords(attempt.answer)];
  return (
    <>
      <p className={styles.head}>
        <strong>Attempt {attempt.n}</strong>
        <Badge tone={tone}>{words}</Badge>
        {attempt.ledgerCode === undefined ? null : <code>{attempt.ledgerCode}</code>}
        <span className={styles.small}>
          {endMs === null ? `for ${spanWords(now - startMs)}` : `in ${spanWords(endMs - startMs)}`}
        </span>
      </p>
      <p>{sentence(attempt.explanation)}</p>
      <p className={styles.small}>
        through {attempt.participant} as <Party party={attempt.actAs} />
        {attempt.cost === undefined ? null : `, cost ${bytesWords(attempt.cost)}`}
        {attempt.offset === undefined ? null : `, offset ${attempt.offset}`}
        {attempt.tries === undefined || attempt.since === undefined ? null : (
          <>
            , try {attempt.tries} since <Time at={attempt.since} />: those before sent nothing
          </>
        )}
      </p>
      <details className={styles.more}>
        <summary>Identifiers</summary>
        <p>
          Submission <Id id={attempt.submissionId} what="submission ID" />
        </p>
        {attempt.contractId === undefined ? null : (
          <p>
            Contract <Id id={attempt.contractId} what="contract ID" />
          </p>
        )}
      </details>
    </>
  );
}

interface RowProps {
  readonly row: TimelineRow;
  readonly place: Place;
  /** Milliseconds from the acceptance of the operation to this row. */
  readonly sinceMs: number;
}

function Row({ row, place, sinceMs }: RowProps) {
  const isAttempt = row.attempt !== null;
  return (
    <li className={styles.row} data-what={row.what}>
      <span className={styles.when}>
        <Time at={row.at} as="clock" />
        {sinceMs === 0 ? null : <span>+{spanWords(sinceMs)}</span>}
      </span>
      <div className={styles.what}>
        {isAttempt ? (
          <AttemptText row={row} />
        ) : (
          <>
            <p className={styles.head}>
              <strong>{WHAT[row.what] ?? inWords(row.what)}</strong>
            </p>
            <p className={styles.small} title={row.detail}>
              {sentence(row.detail)}
            </p>
          </>
        )}
      </div>
      <span className={styles.track} aria-hidden="true">
        <i
          data-answer={row.attempt?.answer ?? 'none'}
          style={{
            insetInlineStart: `min(${place.from * 100}%, 100% - 3px)`,
            width: `${Math.max(0, place.to - place.from) * 100}%`,
          }}
        />
      </span>
    </li>
  );
}

/** The timeline of an operation, newest entry first. A period without events is one line, even if it is long. */
export function OpTimeline({ of }: { readonly of: OpsOperation }) {
  const now = useNowMs();
  const [isWhole, setWhole] = useState(false);
  const rows = timelineRows(of);
  const places = placesOf(rows, now);
  const newestFirst = rows
    .map((row, index) => ({ row, place: places[index] ?? { from: 0, to: 0 } }))
    .reverse();
  const shown = isWhole ? newestFirst : newestFirst.slice(0, SHOWN);
  return (
    <Section
      title="What happened"
      isCard
      more={<span className={styles.small}>newest first; the bars leave out idle time</span>}
    >
      <ol className={styles.rows}>
        {shown.flatMap(({ row, place }) => [
          <Row
            key={row.key}
            row={row}
            place={place}
            sinceMs={Math.max(0, row.startMs - Date.parse(of.acceptedAt))}
          />,
          ...(row.idleMs === null
            ? []
            : [
                <li key={`${row.key} idle`} className={styles.idle}>
                  <span>nothing for {spanWords(row.idleMs)}</span>
                </li>,
              ]),
        ])}
      </ol>
      {shown.length < newestFirst.length ? (
        <div>
          <Button isSmall onClick={() => setWhole(true)}>
            Show {newestFirst.length - shown.length} older ones
          </Button>
        </div>
      ) : null}
    </Section>
  );
}
