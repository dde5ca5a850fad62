import type { Change, ChangeState } from '../../../domain/change.ts';
import type {
  LifecycleEvent,
  NewEvent,
  NumberedEvent,
  OperationEvent,
} from '../../../domain/event.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { columnsTold } from '../../../domain/lifecycle.ts';

/** A row before and after a transaction; `before` is `null` for a new row. */
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
  ...(change.state === 'retrying' && change.waitingFor !== null
    ? { waitingFor: change.waitingFor.kind }
    : {}),
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
    ...columnsTold(lifecycle),
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

/**
 * Returns whether a change has a `retrying` event. There is one event for each reason that the change waits for, not
 * for each attempt.
 */
const tellsRetrying = ({ before, after }: Step<Change>): boolean =>
  after.state === 'retrying' &&
  before?.state !== 'retrying' &&
  (before?.retryingFor === undefined || before.retryingFor !== after.waitingFor?.kind);

/** Returns the change with the reason to wait of its latest `retrying` event. */
export function withToldRetry(step: Step<Change>): Change {
  const { after } = step;
  if (!tellsRetrying(step) || after.waitingFor === null) return after;
  return { ...after, retryingFor: after.waitingFor.kind };
}

/** Returns the events for a change's new state. A new change that is submitted at once has only an `accepted` event. */
function ofChange(step: Step<Change>): NewEvent[] {
  const { before, after } = step;
  const { state } = after;
  if (state === 'queued') return [];
  if (state === 'retrying') {
    return tellsRetrying(step) ? [operationEvent(EVENT_OF.retrying, after)] : [];
  }
  const isHere = before === null ? state === 'submitting' : state === before.state;
  return isHere ? [] : [operationEvent(EVENT_OF[state], after)];
}

/**
 * Returns the events of one transaction in logical order: accepted operations, then lifecycles, then outcomes of
 * operations. Depends only on the rows that changed.
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
 * Returns an event as a CloudEvent 1.0 in its JSON format.
 *
 * @param source identifies the deployment; unique together with `id`
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

/** Returns the source of a deployment's events, which names its provider. */
export const eventSource = (provider: string): string =>
  `urn:tenure:${encodeURIComponent(provider)}`;
