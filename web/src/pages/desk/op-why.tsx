import { Section } from '../../parts/page.tsx';
import { Deadline, Time, useNowMs } from '../../parts/time.tsx';
import { operationName, sentence, spanWords } from '../../parts/words.ts';
import { waitWords } from './desk-words.ts';
import styles from './desk.module.css';
import type { OpsOperation } from './ops-operation.tsx';
import type { Usual } from './usual.ts';
import { useUsual } from './usual.ts';

/** If an operation takes less than this many times the usual duration, that is not remarkable. */
const NOTABLE = 3;

function times(ms: number, usual: Usual): string {
  if (ms <= usual.mostMs) return 'This is usual.';
  const factor = ms / Math.max(1, usual.medianMs);
  if (factor < NOTABLE) return 'This is a little longer than usual.';
  return `That is ${new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(factor)} times as long as usual.`;
}

interface ComparedProps {
  readonly of: OpsOperation;
  readonly ms: number;
  readonly isOpen: boolean;
}

/**
 * Compares the operation's duration with those of similar operations, and says on how many operations the comparison is
 * based.
 */
function Compared({ of, ms, isOpen }: ComparedProps) {
  const usual = useUsual(of);
  const verb = isOpen ? 'has been open for' : 'took';
  const most = usual === null ? 1 : Math.max(ms, usual.mostMs, 1);
  return (
    <div className={styles.compared}>
      <p>
        It {verb} <strong>{spanWords(ms)}</strong>. {usual === null ? null : times(ms, usual)}
      </p>
      {usual === null ? (
        <p className={styles.small}>
          Too few operations “{operationName(of.operation)}” have succeeded recently to show a usual
          duration.
        </p>
      ) : (
        <>
          <div className={styles.bars} aria-hidden="true">
            <span>this one</span>
            <i
              data-tone={ms > usual.mostMs ? 'warn' : 'plain'}
              style={{ width: `${(ms / most) * 100}%` }}
            />
            <span>usual</span>
            <i style={{ width: `${(usual.medianMs / most) * 100}%` }} />
          </div>
          <p className={styles.small}>
            Usual: {spanWords(usual.medianMs)}, 90 % within {spanWords(usual.mostMs)}. From
            acceptance to the end, of the last {usual.count} of “{operationName(of.operation)}” that
            succeeded.
          </p>
        </>
      )}
    </div>
  );
}

/** Says what an open operation waits for, or how long a finished one took. */
export function OpWhy({ of, isOpen }: { readonly of: OpsOperation; readonly isOpen: boolean }) {
  const now = useNowMs();
  const { waitingFor, acceptedAt, finishedAt } = of;
  const endMs = finishedAt === undefined ? now : Date.parse(finishedAt);
  const ms = Math.max(0, endMs - Date.parse(acceptedAt));
  return (
    <Section title={isOpen ? 'Why it waits' : 'How long it took'} isCard>
      {waitingFor === undefined ? null : (
        <div className={styles.waits}>
          <p className={styles.waitsFor}>
            It waits for <strong>{waitWords(waitingFor.kind)}</strong>, since{' '}
            <Time at={waitingFor.since} />
            {waitingFor.until === undefined ? null : (
              <>
                {' '}
                (<Deadline at={waitingFor.until} over="about to go on" />)
              </>
            )}
            .
          </p>
          <p title={waitingFor.detail}>{sentence(waitingFor.detail)}</p>
          {waitingFor.after === undefined ? null : (
            <p className={styles.small}>
              The operation is tried again. Before that, it waited for{' '}
              {waitWords(waitingFor.after.kind)} since <Time at={waitingFor.after.since} />, and it
              waits again if the attempt fails.
            </p>
          )}
        </div>
      )}
      {isOpen || of.state === 'succeeded' ? (
        <Compared of={of} ms={ms} isOpen={isOpen} />
      ) : (
        <p>
          It took <strong>{spanWords(ms)}</strong> from acceptance to its end, without an effect.
        </p>
      )}
    </Section>
  );
}
