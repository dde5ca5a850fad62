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
import { contractIn } from './ask-install.tsx';
import { Attempts } from './attempts.tsx';

type Operation = components['schemas']['Operation'];

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'rejected', 'failed', 'cancelled']);

const PAGES = [
  ['install-request-', PATHS.request, 'The request'],
  ['install-', PATHS.install, 'The installation'],
  ['license-', PATHS.license, 'The licence'],
  ['renewal-', PATHS.renewal, 'The renewal'],
] as const;

/** A link to the lifecycle that an operation concerns. The beginning of the lifecycle's ID names its kind. */
function LifecycleLink({ id }: { readonly id: string }) {
  const found = PAGES.find(([prefix]) => id.startsWith(prefix));
  if (found === undefined) return <Id id={id} what="lifecycle ID" />;
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
    'request-install': [PATHS.request, 'The request', contractIn(body)],
    'accept-install-request': [PATHS.install, 'The installation', contractIn(body)],
    'create-license': [PATHS.license, 'The licence', contractIn(body, 'licenseId')],
    'renew-license': [PATHS.renewal, 'The renewal', contractIn(result?.exercised, 'result')],
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
      <Note tone="good" title="The operation took effect on the ledger.">
        <p>Exactly once, even if it was sent repeatedly.</p>
      </Note>
    );
  }
  if (ENDS.has(state)) {
    return <Note tone="bad" title="The operation did not take effect, and is not tried again." />;
  }
  if (waitingFor === undefined) {
    const isLong = nowMs - Date.parse(acceptedAt) > MINUTE_MS;
    return (
      <Note tone="info" title="The operation is running.">
        <p>
          {isLong
            ? 'Tenure continues it automatically until it has ended.'
            : 'This takes a moment.'}
        </p>
      </Note>
    );
  }
  return (
    <Note
      tone={state === 'in-doubt' || waitingFor.kind === 'person' ? 'bad' : 'warn'}
      title={`It waits: ${waitingFor.detail}`}
    >
      <p>
        Since <Time at={waitingFor.since} as="exact" /> (<Time at={waitingFor.since} />
        ).{' '}
        {waitingFor.until === undefined ? (
          'The operation continues as soon as possible.'
        ) : (
          <>
            The operation continues automatically: <Deadline at={waitingFor.until} over="now" />.
          </>
        )}
      </p>
    </Note>
  );
}

function Result({ operation }: { readonly operation: Operation }) {
  const { result } = operation;
  if (result === undefined) return null;
  const { exercised } = result;
  return (
    <Section title="Result" isCard>
      <Facts
        of={[
          [
            'Made',
            madeBy(operation) === null ? null : <MadeLink key="made" operation={operation} />,
          ],
          ['Answer', `HTTP ${result.status}`],
          [
            'Update',
            exercised?.updateId == null ? null : (
              <Id key="update" id={exercised.updateId} what="update ID" />
            ),
          ],
          ['Offset', exercised?.offset],
        ]}
      />
      <RawJson title="Body" value={result.body} />
    </Section>
  );
}

function OperationView({ operation }: { readonly operation: Operation }) {
  const { lifecycleId, acceptedAt, finishedAt, policy, retryOf, retriedAs = [] } = operation;
  return (
    <>
      <Standing operation={operation} />
      {operation.error === undefined ? null : <ProblemText problem={operation.error} />}
      <Section title="Facts" isCard>
        <Facts
          of={[
            ['About', lifecycleId === null ? null : <LifecycleLink key="life" id={lifecycleId} />],
            ['Accepted', <Time key="accepted" at={acceptedAt} as="exact" />],
            [
              'Ended',
              finishedAt === undefined ? null : <Time key="ended" at={finishedAt} as="exact" />,
            ],
            ['Command ID', <Id key="command" id={operation.commandId} what="command ID" isWhole />],
            ['Operation ID', <Id key="operation" id={operation.id} what="operation ID" />],
            [
              'Requested by',
              policy === undefined
                ? null
                : `${policy.name} policy, version ${policy.version}: ${policy.reason}`,
            ],
            ['Retry of', retryOf === undefined ? null : <OperationLink key="of" of={retryOf} />],
            [
              'Retried as',
              retriedAs.length === 0
                ? null
                : retriedAs.map((one) => <OperationLink key={one.id} of={one} />),
            ],
          ]}
        />
      </Section>
      <Section title="Attempts" isCard>
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
      <Page title="Operation" acts={acts}>
        <Empty title="There is no operation with this command ID.">
          <p>
            <code>{commandId}</code> was never recorded, or belongs to the other side. If its
            request got no answer, the page repeats it automatically: see the list at the lower
            right.
          </p>
        </Empty>
      </Page>
    );
  }
  const state = operation.data?.data.state;
  const [tone, words] = operationState(state ?? '');
  return (
    <Page
      title={
        operation.data === undefined ? 'Operation' : operationName(operation.data.data.operation)
      }
      badge={state === undefined ? undefined : <Badge tone={tone}>{words}</Badge>}
      acts={acts}
    >
      <Shown of={operation}>{({ data }) => <OperationView operation={data} />}</Shown>
    </Page>
  );
}
