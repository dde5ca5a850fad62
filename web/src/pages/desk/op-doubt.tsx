import { Badge } from '../../parts/badge.tsx';
import { Id, Party, partyName } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Deadline, Time } from '../../parts/time.tsx';
import { sentence } from '../../parts/words.ts';
import * as t from '../../texts/operation.tsx';
import styles from './desk.module.css';
import type { OpsOperation } from './ops-operation.tsx';

export type Doubt = NonNullable<OpsOperation['doubt']>;

interface Undecided {
  readonly n: number;
  readonly submissionId: string;
  readonly at: string;
}

interface Named {
  readonly contractId: string;
  readonly template: string;
  readonly active: boolean;
  readonly archivedAt?: string;
  readonly archivedAtOffset?: number;
}

function Contracts({ of }: { readonly of: readonly Named[] }) {
  if (of.length === 0) return <p className={styles.small}>{t.theQueryStoreHasNoneOf}</p>;
  return (
    <ul className={styles.lines}>
      {of.map(({ contractId, template, active, archivedAt, archivedAtOffset }) => (
        <li key={contractId}>
          <p>
            <Badge tone={active ? 'good' : 'plain'}>{active ? t.active : t.archived}</Badge>{' '}
            {template.split(':').at(-1)} <Id id={contractId} what={t.contractId} />
          </p>
          {archivedAt === undefined ? null : (
            <p className={styles.small}>
              {t.archivedAtOffset(<Time at={archivedAt} />, archivedAtOffset)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The evidence about an operation in doubt, for the person who decides whether it took effect. */
export function OpDoubt({ doubt }: { readonly doubt: Doubt }) {
  const undecided = doubt.undecided as unknown as readonly Undecided[];
  const contracts = doubt.contracts as unknown as readonly Named[];
  return (
    <Section title={t.inDoubtDidItTakeEffect} isCard>
      <Note tone="warn" title={t.whatIsKnownAndWhereTo}>
        <p>{sentence(doubt.advice)}</p>
      </Note>
      <Facts
        of={[
          [t.workflowIdOfItsUpdate, <Id key="w" id={doubt.workflowId} what={t.workflowId} />],
          [t.onParticipant, doubt.participant],
          [t.afterOffset, String(doubt.deduplicationOffset)],
          [t.actingAs, <Party key="as" party={doubt.actAs} />],
          [
            t.mayStillTakeEffect,
            doubt.openUntil === undefined ? null : (
              <Deadline key="open" at={doubt.openUntil} over={t.noLongerByThisClock} />
            ),
          ],
          [t.decidedByOperatorsOf, doubt.decidedBy.map(partyName).join(', ')],
        ]}
      />
      <div>
        <h3>{t.attemptsWithoutAnAnswer}</h3>
        {undecided.length === 0 ? (
          <p className={styles.small}>{t.noneEachAttemptHasAnAnswer}</p>
        ) : (
          <ul className={styles.lines}>
            {undecided.map(({ n, submissionId, at }) => (
              <li key={submissionId}>
                {t.attemptSubmission(
                  n,
                  <Time at={at} />,
                  <Id id={submissionId} what={t.submissionId} />,
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <h3>{t.contractsThatTheyNamed}</h3>
        <Contracts of={contracts} />
      </div>
    </Section>
  );
}
