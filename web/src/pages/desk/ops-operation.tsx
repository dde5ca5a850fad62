import { Link, useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
import { Columns, Facts, Page, RawJson, Section } from '../../parts/page.tsx';
import { One } from '../../parts/one.tsx';
import { ProblemText } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { bytesWords, operationName, spanWords } from '../../parts/words.ts';
import { Person } from '../../parts/person.tsx';
import { PATHS } from '../../paths.ts';
import { AuditList } from './audit-list.tsx';
import { OPEN_STATES } from './desk-words.ts';
import { OpActs } from './op-acts.tsx';
import { OpDoubt } from './op-doubt.tsx';
import { OpRelated } from './op-related.tsx';
import { OpTimeline } from './op-timeline.tsx';
import { OpWhy } from './op-why.tsx';
import { StateBadge } from './operation-table.tsx';
import styles from './desk.module.css';

export type OpsOperation = components['schemas']['OpsOperation'];

function OpFacts({ of }: { readonly of: OpsOperation }) {
  const { cost, acceptedAt, finishedAt, policy } = of;
  return (
    <Facts
      of={[
        ['User', <Party key="user" party={of.user} />],
        ['Provider', <Party key="provider" party={of.provider} />],
        ['Accepted', <Time key="accepted" at={acceptedAt} as="exact" />],
        [
          'Ended',
          finishedAt === undefined ? null : <Time key="ended" at={finishedAt} as="exact" />,
        ],
        [
          'Took',
          finishedAt === undefined
            ? null
            : spanWords(Date.parse(finishedAt) - Date.parse(acceptedAt)),
        ],
        [
          'Cost',
          of.attempts.length === 0
            ? null
            : `${bytesWords(cost.bytes)}${
                cost.unknown === 0 ? '' : `, and ${cost.unknown} not reported by the ledger`
              }`,
        ],
        [
          'Policy',
          policy === undefined ? null : `${policy.name} v${policy.version}: ${policy.reason}`,
        ],
        ['Requested by', <Person key="by" subject={of.callerSubject} />],
        ['For', <Party key="for" party={of.callerParty} />],
        ['Command ID', <Id key="command" id={of.commandId} what="command ID" />],
        ['Operation ID', <Id key="id" id={of.id} what="operation ID" />],
      ]}
    />
  );
}

function Outcome({ of: { result, error } }: { readonly of: OpsOperation }) {
  if (error !== undefined) return <ProblemText problem={error} />;
  if (result === undefined) return null;
  const { exercised } = result;
  return (
    <>
      <Facts
        of={[
          ['HTTP status of the answer', `${result.status}`],
          [
            'Update',
            exercised?.updateId == null ? null : (
              <Id key="update" id={exercised.updateId} what="update ID" />
            ),
          ],
          ['Offset', exercised === undefined ? null : String(exercised.offset)],
        ]}
      />
      <RawJson title="Body of the answer" value={result.body} />
    </>
  );
}

function Loaded({ of }: { readonly of: OpsOperation }) {
  const isOpen = OPEN_STATES.has(of.state);
  return (
    <Page
      title={operationName(of.operation)}
      crumb={
        <>
          <Link to={PATHS.operations}>Operations</Link> / {of.commandId}
        </>
      }
      badge={<StateBadge state={of.state} />}
      acts={
        <>
          <OpActs of={of} />
          <CopyAs
            url={addressOf('/ops/operations/{id}', { path: { id: of.id } })}
            cli={`tenure ops show ${of.id}`}
          />
        </>
      }
    >
      <Columns>
        <div className={styles.stack}>
          <OpWhy of={of} isOpen={isOpen} />
          {of.doubt === undefined ? null : <OpDoubt doubt={of.doubt} />}
          {of.result === undefined && of.error === undefined ? null : (
            <Section title="Result" isCard>
              <Outcome of={of} />
            </Section>
          )}
          <OpTimeline of={of} />
        </div>
        <div className={styles.stack}>
          <Section title="Facts" isCard>
            <OpFacts of={of} />
          </Section>
          <OpRelated of={of} />
          {of.audit.length === 0 ? null : (
            <Section title="Operator actions" isCard>
              <AuditList entries={of.audit} />
            </Section>
          )}
        </div>
      </Columns>
      <RawJson value={of} />
    </Page>
  );
}

/** The page of one operation: why it waits, which attempts were made, and what a person can do. */
export function OpsOperationPage() {
  const { id } = useParams({ from: PATHS.opsOperation });
  const operation = useRead(
    '/ops/operations/{id}',
    { path: { id } },
    { topics: ['desk'], everyMs: 10_000 },
  );
  return (
    <One of={operation} name="Operation" list={{ to: PATHS.operations, name: 'Operations' }}>
      {({ data }) => <Loaded of={data} />}
    </One>
  );
}
