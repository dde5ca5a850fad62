import type { Change, ChangeState } from '../domain/change.ts';
import type { LifecycleEvent, NewEvent, NumberedEvent, OperationEvent } from '../domain/event.ts';
import type { JsonRecord } from '../domain/json.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';

/** A row before and after a transaction. `before` is `null` for one that is new. */
interface Step<Row> {
  readonly before: Row | null;
  readonly after: Row;
}

const operationData = (change: Change): JsonRecord => ({
  operationId: change.id,
  commandId: change.commandId,
  operation: change.operation,
  state: change.state,
  ...(change.lifecycleId === null ? {} : { lifecycleId: change.lifecycleId }),
  ...(change.error === null
    ? {}
    : {
        code: change.error.code,
        ...(change.error.ledgerCode === undefined ? {} : { ledgerCode: change.error.ledgerCode }),
      }),
});

const operationEvent = (type: OperationEvent, change: Change): NewEvent => ({
  type,
  subject: change.id,
  lifecycleId: change.lifecycleId,
  parties: [change.callerParty],
  data: operationData(change),
});

const EVENT_OF: Readonly<Record<Exclude<ChangeState, 'queued'>, OperationEvent>> = {
  submitting: 'tenure.operation.submitting',
  retrying: 'tenure.operation.retrying',
  'in-doubt': 'tenure.operation.in-doubt',
  succeeded: 'tenure.operation.succeeded',
  rejected: 'tenure.operation.rejected',
  failed: 'tenure.operation.failed',
  cancelled: 'tenure.operation.cancelled',
};

const lifecycleEvent = (type: LifecycleEvent, lifecycle: Lifecycle): NewEvent => ({
  type,
  subject: lifecycle.id,
  lifecycleId: lifecycle.id,
  parties: [...new Set([lifecycle.provider, lifecycle.appUser])],
  data: {
    lifecycleId: lifecycle.id,
    kind: lifecycle.kind,
    state: lifecycle.state,
    version: lifecycle.version,
    contractId: lifecycle.contractId,
    provider: lifecycle.provider,
    user: lifecycle.appUser,
    ...(lifecycle.licenseNum === null ? {} : { licenseNum: String(lifecycle.licenseNum) }),
    ...(lifecycle.expiresAt === null ? {} : { expiresAt: lifecycle.expiresAt }),
  },
});

function ofLifecycle({ before, after }: Step<Lifecycle>): NewEvent[] {
  const began = before === null ? [lifecycleEvent('tenure.lifecycle.began', after)] : [];
  if (after.endedAt !== null && (before?.endedAt ?? null) === null) {
    return [...began, lifecycleEvent('tenure.lifecycle.ended', after)];
  }
  if (before === null) return began;
  const isSame = before.state === after.state && before.contractId === after.contractId;
  return isSame ? [] : [lifecycleEvent('tenure.lifecycle.changed', after)];
}

/** A change that goes to the ledger at once was accepted, and that says it all. */
function ofChange({ before, after }: Step<Change>): NewEvent[] {
  const { state } = after;
  const isHere = before === null ? state === 'submitting' : state === before.state;
  return state === 'queued' || isHere ? [] : [operationEvent(EVENT_OF[state], after)];
}

/**
 * The events of one transaction, in the order in which somebody would tell them: what was asked for, what became of the
 * lifecycles, what became of the operations. Follows from what changed alone.
 */
export function eventsOf(
  changes: readonly Step<Change>[],
  lifecycles: readonly Step<Lifecycle>[],
): NewEvent[] {
  const accepted = changes.filter(({ before }) => before === null);
  return [
    ...accepted.map(({ after }) => operationEvent('tenure.operation.accepted', after)),
    ...lifecycles.flatMap(ofLifecycle),
    ...changes.flatMap(ofChange),
  ];
}

/**
 * An event as a CloudEvent 1.0 in its JSON format.
 *
 * @param source tells deployments apart: with `id` it is unique
 */
export const cloudEvent = (event: NumberedEvent, source: string): JsonRecord => ({
  specversion: '1.0',
  id: String(event.seq),
  source,
  type: event.type,
  subject: event.subject,
  time: event.at,
  datacontenttype: 'application/json',
  data: event.data,
});

/** The source of a deployment's events: its provider. */
export const eventSource = (provider: string): string =>
  `urn:tenure:${encodeURIComponent(provider)}`;
