import { originOf } from '../../domain/automatic.ts';
import type { Act } from '../../domain/act.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import { retryCommandId, retryIn } from '../../domain/retries.ts';
import type { ContractModel } from '../contract/model.ts';
import type { HearDeps } from '../engine/outcomes/hear-participant.ts';
import { hearAbout } from '../engine/outcomes/hear-participant.ts';
import type { Times } from '../engine/lanes/lane.ts';
import { timesOf } from '../engine/lanes/lane.ts';
import { proveNoEffect } from '../engine/outcomes/no-effect.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';
import type { Tx } from '../ports/transaction.ts';
import type {
  ChangeRequest,
  RequestChangeDeps,
  RequestedChange,
  Route,
} from '../engine/requests/change-request.ts';
import { recordOrReplay } from '../engine/requests/record-change.ts';
import { routeFor } from '../engine/requests/request-change.ts';
import { WorkingSet } from '../engine/lanes/working-set.ts';

const refused = (message: string, change: Change): never =>
  fail('NOT_RETRYABLE', message, {
    extra: { state: change.state, operationId: change.id },
  });

const nameOf = ({ operation, commandId }: Change): string => `${operation} ${commandId}`;

/** Requires that the newest of a change and its retries allows another retry. @throws ProblemError `NOT_RETRYABLE` */
function requireNegative(last: Change): void {
  const name = nameOf(last);
  if (last.state === 'in-doubt') refused(`${name} is in doubt: decide it first`, last);
  if (isOpen(last.state)) refused(`${name} has not ended: it is ${last.state}`, last);
  if (last.state === 'succeeded') refused(`${name} has succeeded`, last);
}

/**
 * Requires that neither the change nor any of its retries had an effect or can still have one; otherwise a retry could
 * cause a second effect.
 */
async function requireNoEffect(
  ws: WorkingSet,
  tx: Tx,
  changes: readonly Change[],
  times: Times,
): Promise<void> {
  for (const change of changes) {
    const effect = await proveNoEffect(ws, tx, change, times);
    if (effect !== null) refused(`${nameOf(change)} ${effect}`, change);
  }
}

/** Returns the original request with the retry's command ID. */
const requestOf = (model: ContractModel, root: Change, n: number): ChangeRequest => {
  const within = model.operation(root.operation).through?.idOf(root.fixed);
  const origin = originOf(root);
  return {
    operation: root.operation,
    target: root.lifecycleId,
    ...(within === undefined ? {} : { within }),
    commandId: retryCommandId(root.id, n),
    body: root.body,
    // A retry of a policy's change spares the licences that the policy spares.
    ...(origin === null ? {} : { policy: origin }),
    ...(root.traceparent === null ? {} : { traceparent: root.traceparent }),
  };
};

/**
 * Returns the caller of a retry: the party that requested the original change. The subject names both the person who
 * retries and the original subject.
 */
const onBehalfOf = (root: Change, by: Caller): Caller => ({
  ...by,
  party: root.callerParty,
  roles: new Set(),
  subject: `${by.subject} for ${root.callerSubject}`,
});

/** Returns the change that a caller requested: the root if the change is a retry, otherwise the change itself. */
export async function rootOf(
  reads: Pick<Reads, 'changesById'>,
  id: ChangeId,
  io: Io,
): Promise<Change> {
  const [found] = await reads.changesById([id], io);
  const ref = found === undefined ? null : retryIn(found.commandId);
  const [root] = ref === null ? [found] : await reads.changesById([ref.root], io);
  return root ?? fail('OPERATION_NOT_FOUND', `operation ${id} does not exist`);
}

/** Returns the acting party and the submitter for a retry of the root. */
export const retryRoute = (
  deps: Pick<RequestChangeDeps, 'hosting' | 'model'>,
  root: Change,
  by: Caller,
  io: Io,
): Promise<Route> => routeFor(deps, root.operation, onBehalfOf(root, by), io);

/** Like {@link retryChange}, but within an existing transaction. */
export async function retryWithin(
  tx: Tx,
  deps: RequestChangeDeps,
  asked: { readonly root: Change; readonly changeId: ChangeId; readonly route: Route },
  act: Act,
): Promise<RequestedChange> {
  const { root, changeId, route } = asked;
  // The lane's lock prevents changes of the outcome of this change and its retries. Retries of an operation that
  // creates a contract have a separate lane.
  await tx.lock([root.lane]);
  const retries = await tx.retriesOf(root.id);
  const first = (await tx.change(root.id)) ?? root;
  const last = retries.at(-1) ?? first;
  const isAsked = last.id !== changeId && isOpen(last.state) && last.state !== 'in-doubt';
  // Another request for the same retry was recorded first.
  if (isAsked) return { change: last, replayed: true };
  requireNegative(last);
  const ws = new WorkingSet(deps.model);
  await requireNoEffect(ws, tx, [first, ...retries], timesOf(deps));
  if (retries.length >= LIMITS.retriesMax) {
    refused(`${nameOf(root)} has been retried ${retries.length} times, which is the limit`, last);
  }
  const request = requestOf(deps.model, root, retries.length + 1);
  const made = await recordOrReplay(tx, deps, request, onBehalfOf(root, act.by), route);
  if (made.replayed) return made;
  ws.recordAct({
    at: made.change.acceptedAt,
    byParty: act.by.party,
    bySubject: act.by.subject,
    act: 'retried',
    changeId: last.id,
    from: last.state,
    to: last.state,
    reason: act.reason,
    detail: {
      retriedAs: made.change.id,
      commandId: made.change.commandId,
      ...(act.actId === undefined ? {} : { actId: act.actId }),
    },
  });
  await tx.save(ws.writes());
  return made;
}

/**
 * Repeats a change that ended without an effect, as a new change whose command ID is derived from the original change:
 * the recorded answer of the original is kept. A request while a retry is open returns that retry.
 *
 * @throws ProblemError `OPERATION_NOT_FOUND`; `NOT_RETRYABLE` if the change has not ended, has succeeded or is in
 * doubt; and the refusals of any change
 */
export async function retryChange(
  deps: RequestChangeDeps & HearDeps,
  changeId: ChangeId,
  act: Act,
  io: Io,
): Promise<RequestedChange> {
  const root = await rootOf(deps.store.reads, changeId, io);
  const route = await retryRoute(deps, root, act.by, io);
  await deps.ledgerClock.refresh(io);
  const retries = await deps.store.reads.retriesOf(root.id, io);
  for (const { id } of [root, ...retries]) await hearAbout(deps, id, io);
  const asked = { root, changeId, route };
  return deps.store.transact(io, (tx) => retryWithin(tx, deps, asked, act));
}
