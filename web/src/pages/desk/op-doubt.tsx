import { Badge } from '../../parts/badge.tsx';
import { Id, Party, partyName } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Deadline, Time } from '../../parts/time.tsx';
import { sentence } from '../../parts/words.ts';
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
  if (of.length === 0)
    return <p className={styles.small}>The query store has none of these contracts.</p>;
  return (
    <ul className={styles.lines}>
      {of.map(({ contractId, template, active, archivedAt, archivedAtOffset }) => (
        <li key={contractId}>
          <p>
            <Badge tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Archived'}</Badge>{' '}
            {template.split(':').at(-1)} <Id id={contractId} what="contract ID" />
          </p>
          {archivedAt === undefined ? null : (
            <p className={styles.small}>
              archived <Time at={archivedAt} />, at offset {archivedAtOffset}
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
    <Section title="In doubt: did it take effect?" isCard>
      <Note tone="warn" title="What is known, and where to look">
        <p>{sentence(doubt.advice)}</p>
      </Note>
      <Facts
        of={[
          ['Workflow ID of its update', <Id key="w" id={doubt.workflowId} what="workflow ID" />],
          ['On participant', doubt.participant],
          ['After offset', String(doubt.deduplicationOffset)],
          ['Acting as', <Party key="as" party={doubt.actAs} />],
          [
            'May still take effect',
            doubt.openUntil === undefined ? null : (
              <Deadline key="open" at={doubt.openUntil} over="no longer, by this clock" />
            ),
          ],
          ['Decided by operators of', doubt.decidedBy.map(partyName).join(', ')],
        ]}
      />
      <div>
        <h3>Attempts without an answer</h3>
        {undecided.length === 0 ? (
          <p className={styles.small}>None: each attempt has an answer.</p>
        ) : (
          <ul className={styles.lines}>
            {undecided.map(({ n, submissionId, at }) => (
              <li key={submissionId}>
                Attempt {n}, <Time at={at} />, submission{' '}
                <Id id={submissionId} what="submission ID" />
              </li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <h3>Contracts that they named</h3>
        <Contracts of={contracts} />
      </div>
    </Section>
  );
}
