import { Link, useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyAs, Id } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Facts, Page, RawJson, Section } from '../../parts/page.tsx';
import { Empty, ProblemText, Shown } from '../../parts/states.tsx';
import { Deadline, Time, useNowMs } from '../../parts/time.tsx';
import { operationName, operationState } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/lifecycles.tsx';
import { contractIn } from './ask-install.tsx';
import { Attempts } from './attempts.tsx';

type Operation = components['schemas']['Operation'];

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'rejected', 'failed', 'cancelled']);

const PAGES = [
  ['install-request-', PATHS.request, t.theRequest],
  ['install-', PATHS.install, t.theInstallation],
  ['license-', PATHS.license, t.theLicence],
  ['renewal-', PATHS.renewal, t.theRenewal],
] as const;

/** A link to the lifecycle that an operation concerns. The beginning of the lifecycle's ID names its kind. */
function LifecycleLink({ id }: { readonly id: string }) {
  const found = PAGES.find(([prefix]) => id.startsWith(prefix));
  if (found === undefined) return <Id id={id} what={t.lifecycleId} />;
  const [, to, words] = found;
  return (
    <Link to={to} params={{ contractId: id }}>
      {words}
    </Link>
  );
}

/** Returns the contract that a successful operation created, and the page of its kind. */
function madeBy({ operation, result }: Operation) {
  const body = result?.body;
  const made = {
    'request-install': [PATHS.request, t.theRequest, contractIn(body)],
    'accept-install-request': [PATHS.install, t.theInstallation, contractIn(body)],
    'create-license': [PATHS.license, t.theLicence, contractIn(body, 'licenseId')],
    'renew-license': [PATHS.renewal, t.theRenewal, contractIn(result?.exercised, 'result')],
  } as const;
  return operation in made ? made[operation as keyof typeof made] : null;
}

function MadeLink({ operation }: { readonly operation: Operation }) {
  const [to, words, contractId] = madeBy(operation) ?? [];
  if (to === undefined || contractId == null) return null;
  return (
    <Link to={to} params={{ contractId }}>
      {words}
    </Link>
  );
}

function OperationLink({ of }: { readonly of: NonNullable<Operation['retryOf']> }) {
  const [tone, words] = operationState(of.state);
  return (
    <>
      <Link to={PATHS.operation} params={{ commandId: of.commandId }}>
        {of.commandId}
      </Link>{' '}
      <Badge tone={tone}>{words}</Badge>
    </>
  );
}

const MINUTE_MS = 60_000;

/** Says what the operation waits for and since when, or how it ended. */
function Standing({ operation }: { readonly operation: Operation }) {
  const nowMs = useNowMs();
  const { state, waitingFor, acceptedAt } = operation;
  if (state === 'succeeded') {
    return (
      <Note tone="good" title={t.theOperationTookEffectOnThe}>
        <p>{t.exactlyOnceEvenIfItWas}</p>
      </Note>
    );
  }
  if (ENDS.has(state)) {
    return <Note tone="bad" title={t.theOperationDidNotTakeEffect} />;
  }
  if (waitingFor === undefined) {
    const isLong = nowMs - Date.parse(acceptedAt) > MINUTE_MS;
    return (
      <Note tone="info" title={t.theOperationIsRunning}>
        <p>{isLong ? t.tenureContinuesItAutomatically : t.thisTakesAMoment}</p>
      </Note>
    );
  }
  return (
    <Note
      tone={state === 'in-doubt' || waitingFor.kind === 'person' ? 'bad' : 'warn'}
      title={t.itWaits(waitingFor.detail)}
    >
      <p>
        {t.since(<Time at={waitingFor.since} as="exact" />, <Time at={waitingFor.since} />)}{' '}
        {waitingFor.until === undefined
          ? t.theOperationContinuesAsSoonAs
          : t.theOperationContinues(<Deadline at={waitingFor.until} over={t.now} />)}
      </p>
    </Note>
  );
}

function Result({ operation }: { readonly operation: Operation }) {
  const { result } = operation;
  if (result === undefined) return null;
  const { exercised } = result;
  return (
    <Section title={t.result} isCard>
      <Facts
        of={[
          [
            t.made,
            madeBy(operation) === null ? null : <MadeLink key="made" operation={operation} />,
          ],
          [t.answer, t.httpStatus(result.status)],
          [
            t.update,
            exercised?.updateId == null ? null : (
              <Id key="update" id={exercised.updateId} what={t.updateId} />
            ),
          ],
          [t.offset, exercised?.offset],
        ]}
      />
      <RawJson title={t.body} value={result.body} />
    </Section>
  );
}

function OperationView({ operation }: { readonly operation: Operation }) {
  const { lifecycleId, acceptedAt, finishedAt, policy, retryOf, retriedAs = [] } = operation;
  return (
    <>
      <Standing operation={operation} />
      {operation.error === undefined ? null : <ProblemText problem={operation.error} />}
      <Section title={t.facts} isCard>
        <Facts
          of={[
            [t.about, lifecycleId === null ? null : <LifecycleLink key="life" id={lifecycleId} />],
            [t.accepted, <Time key="accepted" at={acceptedAt} as="exact" />],
            [
              t.ended,
              finishedAt === undefined ? null : <Time key="ended" at={finishedAt} as="exact" />,
            ],
            [
              t.commandId,
              <Id key="command" id={operation.commandId} what={t.commandIdWord} isWhole />,
            ],
            [t.operationId, <Id key="operation" id={operation.id} what={t.operationIdWord} />],
            [
              t.requestedBy,
              policy === undefined
                ? null
                : t.policyVersion(policy.name, policy.version, policy.reason),
            ],
            [t.retryOf, retryOf === undefined ? null : <OperationLink key="of" of={retryOf} />],
            [
              t.retriedAs,
              retriedAs.length === 0
                ? null
                : retriedAs.map((one) => <OperationLink key={one.id} of={one} />),
            ],
          ]}
        />
      </Section>
      <Section title={t.attempts} isCard>
        <Attempts attempts={operation.attempts} acceptedAt={acceptedAt} />
      </Section>
      <Result operation={operation} />
      <RawJson value={operation} />
    </>
  );
}

/** The page of one operation of the caller: its progress, why it waits, and its result. */
export function OperationPage() {
  const { commandId } = useParams({ from: PATHS.operation });
  const asked = { query: { commandId } };
  const operation = useRead('/operations', asked, { topics: ['operation'], everyMs: 10_000 });
  const acts = (
    <CopyAs url={addressOf('/operations', asked)} cli={`tenure history '${commandId}'`} />
  );
  if (operation.data === undefined && operation.error?.status === 404) {
    return (
      <Page title={t.operation} acts={acts}>
        <Empty title={t.thereIsNoOperationWithThis}>
          <p>{t.wasNeverRecordedOrBelongsTo(<code>{commandId}</code>)}</p>
        </Empty>
      </Page>
    );
  }
  const state = operation.data?.data.state;
  const [tone, words] = operationState(state ?? '');
  return (
    <Page
      title={
        operation.data === undefined ? t.operation : operationName(operation.data.data.operation)
      }
      badge={state === undefined ? undefined : <Badge tone={tone}>{words}</Badge>}
      acts={acts}
    >
      <Shown of={operation}>{({ data }) => <OperationView operation={data} />}</Shown>
    </Page>
  );
}
