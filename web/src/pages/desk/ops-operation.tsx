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
import * as t from '../../texts/operation.tsx';
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
        [t.user, <Party key="user" party={of.user} />],
        [t.provider, <Party key="provider" party={of.provider} />],
        [t.accepted, <Time key="accepted" at={acceptedAt} as="exact" />],
        [
          t.ended,
          finishedAt === undefined ? null : <Time key="ended" at={finishedAt} as="exact" />,
        ],
        [
          t.took,
          finishedAt === undefined
            ? null
            : spanWords(Date.parse(finishedAt) - Date.parse(acceptedAt)),
        ],
        [
          t.cost,
          of.attempts.length === 0 ? null : t.costWithUnknown(bytesWords(cost.bytes), cost.unknown),
        ],
        [
          t.policy,
          policy === undefined ? null : t.policyVersion(policy.name, policy.version, policy.reason),
        ],
        [t.requestedBy, <Person key="by" subject={of.callerSubject} />],
        [t.forParty, <Party key="for" party={of.callerParty} />],
        [t.commandId, <Id key="command" id={of.commandId} what={t.commandIdWord} />],
        [t.operationId, <Id key="id" id={of.id} what={t.operationIdWord} />],
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
          [t.httpStatusOfTheAnswer, `${result.status}`],
          [
            t.update,
            exercised?.updateId == null ? null : (
              <Id key="update" id={exercised.updateId} what={t.updateId} />
            ),
          ],
          [t.offset, exercised === undefined ? null : String(exercised.offset)],
        ]}
      />
      <RawJson title={t.bodyOfTheAnswer} value={result.body} />
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
          <Link to={PATHS.operations}>{t.operations}</Link> / {of.commandId}
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
            <Section title={t.result} isCard>
              <Outcome of={of} />
            </Section>
          )}
          <OpTimeline of={of} />
        </div>
        <div className={styles.stack}>
          <Section title={t.facts} isCard>
            <OpFacts of={of} />
          </Section>
          <OpRelated of={of} />
          {of.audit.length === 0 ? null : (
            <Section title={t.operatorActions} isCard>
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
    <One of={operation} name={t.operation} list={{ to: PATHS.operations, name: t.operations }}>
      {({ data }) => <Loaded of={data} />}
    </One>
  );
}
