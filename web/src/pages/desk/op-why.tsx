import { Section } from '../../parts/page.tsx';
import { Deadline, Time, useNowMs } from '../../parts/time.tsx';
import { operationName, sentence, spanWords } from '../../parts/words.ts';
import { numberText } from '../../texts/intl.ts';
import * as t from '../../texts/operation.tsx';
import { waitWords } from './desk-words.ts';
import styles from './desk.module.css';
import type { OpsOperation } from './ops-operation.tsx';
import type { Usual } from './usual.ts';
import { useUsual } from './usual.ts';

/** If an operation takes less than this many times the usual duration, that is not remarkable. */
const NOTABLE = 3;

function times(ms: number, usual: Usual): string {
  if (ms <= usual.mostMs) return t.thisIsUsual;
  const factor = ms / Math.max(1, usual.medianMs);
  if (factor < NOTABLE) return t.thisIsALittleLongerThan;
  return t.thatIsTimesAsLongAs(numberText(factor, 'rough'));
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
  const most = usual === null ? 1 : Math.max(ms, usual.mostMs, 1);
  return (
    <div className={styles.compared}>
      <p>
        {(isOpen ? t.itHasBeenOpenFor : t.itTook)(
          <strong>{spanWords(ms)}</strong>,
          usual === null ? null : times(ms, usual),
        )}
      </p>
      {usual === null ? (
        <p className={styles.small}>
          {t.tooFewOperationsHaveSucceeded(operationName(of.operation))}
        </p>
      ) : (
        <>
          <div className={styles.bars} aria-hidden="true">
            <span>{t.thisOne}</span>
            <i
              data-tone={ms > usual.mostMs ? 'warn' : 'plain'}
              style={{ width: `${(ms / most) * 100}%` }}
            />
            <span>{t.usual}</span>
            <i style={{ width: `${(usual.medianMs / most) * 100}%` }} />
          </div>
          <p className={styles.small}>
            {t.usual90WithinFromAcceptanceTo(
              spanWords(usual.medianMs),
              spanWords(usual.mostMs),
              usual.count,
              operationName(of.operation),
            )}
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
    <Section title={isOpen ? t.whyItWaits : t.howLongItTook} isCard>
      {waitingFor === undefined ? null : (
        <div className={styles.waits}>
          <p className={styles.waitsFor}>
            {t.itWaitsForSince(
              <strong>{waitWords(waitingFor.kind)}</strong>,
              <Time at={waitingFor.since} />,
            )}
            {waitingFor.until === undefined ? null : (
              <>
                {' '}
                (<Deadline at={waitingFor.until} over={t.aboutToGoOn} />)
              </>
            )}
            .
          </p>
          <p title={waitingFor.detail}>{sentence(waitingFor.detail)}</p>
          {waitingFor.after === undefined ? null : (
            <p className={styles.small}>
              {t.theOperationIsTriedAgainBefore(
                waitWords(waitingFor.after.kind),
                <Time at={waitingFor.after.since} />,
              )}
            </p>
          )}
        </div>
      )}
      {isOpen || of.state === 'succeeded' ? (
        <Compared of={of} ms={ms} isOpen={isOpen} />
      ) : (
        <p>{t.itTookFromAcceptanceToIts(<strong>{spanWords(ms)}</strong>)}</p>
      )}
    </Section>
  );
}
