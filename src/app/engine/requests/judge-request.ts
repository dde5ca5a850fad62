import { createHash, randomUUID } from 'node:crypto';
import { originParts } from '../../../domain/automatic.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { Change, Operation, Submitter } from '../../../domain/change.ts';
import type {
  ChangeId,
  LaneId,
  LifecycleId,
  ParticipantName,
  UpdateId,
} from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { canonicalJson } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { ProblemError, fail, failVersion } from '../../../domain/problems.ts';
import { SECOND_MS, isoToMs } from '../../../domain/time.ts';
import { assert } from '../../../domain/unreachable.ts';
import type { ContractModel } from '../../contract/model.ts';
import { SCHEDULER_LEASE } from '../../ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../ports/streams.ts';
import type { Followed, Tx } from '../../ports/transaction.ts';
import { actionOf, hasRole } from '../lanes/allowed.ts';
import type { Asked, ChangeRequest, RequestChangeDeps, RequestedChange } from './change-request.ts';
import type { Times } from '../lanes/lane.ts';
import { begin, timesOf } from '../lanes/lane.ts';
import { LeaseLostError } from '../lanes/leased.ts';
import { tookEffect } from '../outcomes/lost-repeats.ts';
import type { CommandKey } from '../../ports/writes.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns the hash of what a command ID stands for: operation, target and body. The order of keys in the body does not
 * count.
 */
const fingerprintOf = (request: ChangeRequest, lifecycle: Lifecycle | null): string =>
  hash(
    [request.operation, lifecycle?.id ?? request.target ?? '', canonicalJson(request.body)].join(
      '\n',
    ),
  );

function notFound(model: ContractModel, { operation, target }: ChangeRequest): never {
  const id = target ?? '';
  const { kind, notFound: words } = model.operation(operation);
  const word = kind === null ? 'Contract' : model.lifecycle(kind).word;
  return fail('NOT_FOUND', words?.(id) ?? `${word} not found for contract ${id}`);
}

/**
 * Returns the change recorded under this command ID, if it has the same meaning and the same party requested it. The
 * address may differ, unless it leads through another lifecycle.
 */
export function replay(
  model: ContractModel,
  found: Change,
  { caller, request }: Asked,
  { target, within }: Addressed,
): RequestedChange {
  if (found.callerParty !== caller.party) {
    fail('COMMAND_ID_TAKEN', `commandId ${found.commandId} is taken`);
  }
  const { through } = model.operation(found.operation);
  const isOfAnother = request.within !== undefined && through?.idOf(found.fixed) !== within?.id;
  if (isOfAnother || found.fingerprint !== fingerprintOf(request, target)) {
    fail('COMMAND_ID_REUSED', `commandId ${found.commandId} was used for another change`);
  }
  return { change: found, replayed: true };
}

/** The lifecycles that a request's address names, as read before anything is locked. */
export interface Addressed {
  readonly target: Lifecycle | null;
  readonly within: Lifecycle | null;
}

/**
 * Returns the lifecycle through which the target is addressed. The error is the same if the lifecycle does not exist
 * and if it belongs to another party.
 */
function named(
  model: ContractModel,
  { operation, within }: ChangeRequest,
  caller: Caller,
  found: Lifecycle | null,
) {
  if (within === undefined) return null;
  const { through } = model.operation(operation);
  assert(through !== undefined, `${operation} is reached through nothing else`);
  if (found?.kind === through.kind && hasRole(found, 'either', caller.party)) return found;
  return fail(
    'NOT_FOUND',
    `${model.lifecycle(through.kind).word} not found for contract ${within}`,
  );
}

/**
 * Returns the lifecycle if the caller may act on it. The error is the same if the lifecycle does not exist and if it
 * belongs to another party; a step that is reserved for another role gives `FORBIDDEN`.
 */
function authorise(
  model: ContractModel,
  request: ChangeRequest,
  caller: Caller,
  lifecycle: Lifecycle | null,
): Lifecycle | null {
  const { kind, action, command } = model.operation(request.operation);
  if (kind === null || action === null) {
    const begins = command.kind === 'create' ? command.begins : undefined;
    const refusal = begins?.refusal(caller, request.body) ?? null;
    return refusal === null ? null : fail('FORBIDDEN', refusal);
  }
  if (lifecycle === null || lifecycle.kind !== kind) return notFound(model, request);
  if (!hasRole(lifecycle, 'either', caller.party)) return notFound(model, request);
  const { role } = actionOf(model, lifecycle, action);
  if (!hasRole(lifecycle, role, caller.party)) {
    const { word } = model.lifecycle(kind);
    return fail('FORBIDDEN', `only the ${role} may ${action} this ${word}`);
  }
  return lifecycle;
}

function checkVersion(request: ChangeRequest, lifecycle: Lifecycle | null): void {
  if (request.ifVersions === undefined || lifecycle === null) return;
  if (request.ifVersions.includes(lifecycle.version)) return;
  const { version, state } = lifecycle;
  failVersion('lifecycle', version, request.ifVersions, { state });
}

/**
 * Locks the policy until the change is recorded, so that a concurrent edit of the policy happens entirely before or
 * after.
 */
async function checkPolicy(
  tx: Tx,
  { policy, onlyIfPolicyStands }: ChangeRequest,
  { party }: Caller,
): Promise<void> {
  if (policy === undefined || onlyIfPolicyStands === undefined) return;
  // Subscriptions have no version that a provider sets: they are judged before each attempt, see `judgeAgain`.
  if (policy.name === 'subscription') return;
  const version = await tx.policyVersion(policy.name, party);
  if (version === policy.version) return;
  failVersion('policy', version, [policy.version]);
}

/** Locks the lease until the change is recorded, like every other write that requires a lease. */
async function checkTerm(tx: Tx, { schedulerEpoch }: ChangeRequest): Promise<void> {
  if (schedulerEpoch === undefined || (await tx.holdsLease(SCHEDULER_LEASE, schedulerEpoch)))
    return;
  throw new LeaseLostError();
}

/** A request that will be recorded once its lane is locked. */
export interface Pending extends Asked {
  readonly addressed: Addressed;
  readonly submitter: Submitter;
  readonly target: Lifecycle | null;
  readonly within: Lifecycle | null;
  readonly lane: LaneId;
  readonly id: ChangeId;
}

/**
 * Refuses requests while a participant holds another ledger than the one that the store follows. Requests would be
 * judged and answered by the wrong ledger, and an acceptance might have to be revoked.
 */
function requireOwnLedgers(
  foreign: readonly ParticipantName[],
  participants: readonly ParticipantName[],
): void {
  const found = foreign.find((participant) => participants.includes(participant));
  if (found === undefined) return;
  fail(
    'STORE_NOT_READY',
    `participant ${found} has a different ledger from the one in the query store`,
  );
}

/** Refuses requests during the replay of a restored database, because effects since its backup are not known yet. */
export function requireReplayed(
  { replaying }: Pick<Followed, 'replaying'>,
  participants: readonly ParticipantName[],
): void {
  const streams = [UPDATES_STREAM, ...participants.map(completionsStream)];
  if (!streams.some((stream) => replaying.has(stream))) return;
  fail(
    'STORE_NOT_READY',
    'the database has restarted: requests wait until the ledger has reported which operations took effect',
  );
}

interface Parts extends Pending {
  readonly lifecycle: Lifecycle | null;
  readonly fixed: JsonRecord;
  readonly deduplicationOffset: bigint;
  readonly mailboxNo: number;
}

/**
 * Returns the provider and the user of a change. If the change begins a lifecycle, the caller is the user, and the
 * request's body names the provider.
 */
function partiesOf(model: ContractModel, { lifecycle, request, caller, submitter }: Parts) {
  if (lifecycle !== null) return { provider: lifecycle.provider, appUser: lifecycle.appUser };
  const { command } = model.operation(request.operation);
  const named = command.kind === 'create' ? command.begins?.provider(request.body) : undefined;
  return { provider: named ?? submitter.actAs, appUser: caller.party };
}

const recorded = (model: ContractModel, from: Parts, now: string): Change => ({
  id: from.id,
  commandId: from.request.commandId,
  operation: from.request.operation,
  lifecycleId: from.lifecycle === null ? null : trusted<LifecycleId>(from.lifecycle.id),
  lane: from.lane,
  mailboxNo: from.mailboxNo,
  callerParty: from.caller.party,
  callerSubject: from.caller.subject,
  ...partiesOf(model, from),
  submitter: from.submitter,
  body: from.request.body,
  fixed: from.fixed,
  fingerprint: fingerprintOf(from.request, from.lifecycle),
  traceparent: from.request.traceparent ?? null,
  state: 'queued',
  acceptedAt: now,
  finishedAt: null,
  deduplicationOffset: from.deduplicationOffset,
  attempts: 0,
  acceptance: null,
  verifyAt: null,
  proofAt: null,
  pendingRefusal: null,
  waitingFor: { kind: 'mailbox', detail: 'behind earlier changes of the same lane', since: now },
  result: null,
  error: null,
});

/**
 * Puts the change into its lane. If the lane is idle, the change is judged at once: a step that the machine does not
 * accept is refused and not recorded. Behind other changes, it is judged at its turn.
 */
function enter(ws: WorkingSet, change: Change, waitingMax: number, times: Times): Change {
  const { head, waiting } = ws.mailbox(change.lane);
  const isNext = head === null && waiting === 0;
  if (waiting >= waitingMax) refuseForRoom(change, waiting, waitingMax);
  const refused = isNext ? begin(ws, change, times) : null;
  // Nothing has been written for this request: the working set may hold other requests of the batch.
  if (refused !== null) throw new ProblemError(refused);
  const mailbox = ws.mailbox(change.lane);
  const behind = isNext ? waiting : waiting + 1;
  ws.putMailbox({ ...mailbox, nextNo: mailbox.nextNo + 1, waiting: behind });
  if (!isNext) ws.putChange(change);
  return ws.change(change.id) ?? change;
}

function refuseForRoom({ operation }: Change, waiting: number, limit: number): never {
  const message =
    `${operation} is not accepted: ${waiting} operations already wait in the mailbox; ` +
    'repeat the request with the same commandId when some of them have ended';
  const retryAfterS = LIMITS.mailboxFullRetryMs / SECOND_MS;
  return fail('MAILBOX_FULL', message, { extra: { waiting, quota: 'lane', limit, retryAfterS } });
}

/**
 * Returns the lane of a change. A step uses its lifecycle's lane. A concurrent operation, such as a comment, waits only
 * for other ones of the same caller.
 */
function laneOf(
  model: ContractModel,
  operation: Operation,
  caller: Caller,
  lifecycle: Lifecycle | null,
  id: ChangeId,
): LaneId {
  if (lifecycle === null) return trusted<LaneId>(`change-${id}`);
  if (!model.isAside(operation)) return lifecycle.lane;
  return trusted<LaneId>(`${operation}-${lifecycle.id}-${caller.party}`);
}

export async function addressed(tx: Tx, request: ChangeRequest): Promise<Addressed> {
  const [target, within] = await Promise.all([
    request.target === null ? null : tx.findLifecycle(request.target),
    request.within === undefined ? null : tx.findLifecycle(request.within),
  ]);
  return { target, within };
}

/** Returns the values that are chosen once for a change, so that they are equal in all its attempts. */
async function fixedParts(
  { model, ledgerClock }: Pick<RequestChangeDeps, 'model' | 'ledgerClock'>,
  tx: Tx,
  { operation, body, policy }: ChangeRequest,
  seen: { readonly lifecycle: Lifecycle | null; readonly through: Lifecycle | null },
): Promise<JsonRecord> {
  const fixed = await model.operation(operation).fix?.({
    tx,
    body,
    ...seen,
    certainMs: ledgerClock.certainMs(),
    pastMs: ledgerClock.pastMs(),
  });
  return { ...(policy === undefined ? {} : originParts(policy)), ...fixed };
}

/** A request for which no route to the ledger was found. */
export interface Unroutable {
  readonly failure: unknown;
}

/**
 * Returns the change to be recorded, or the one already recorded under the command ID. Nothing is locked yet, so other
 * transactions may still change the result.
 *
 * @throws ProblemError
 */
export async function lookUp(
  tx: Tx,
  { model }: Pick<RequestChangeDeps, 'model'>,
  asked: Asked,
): Promise<Pending | RequestedChange | Unroutable> {
  const { request, caller, route } = asked;
  const [known, found] = await Promise.all([
    tx.changeByCommand({ actAs: route.actAs, commandId: request.commandId }),
    addressed(tx, request),
  ]);
  if (known !== null) return replay(model, known, asked, found);
  const [routed] = await Promise.allSettled([(async () => route.submitter())()]);
  if (routed.status === 'rejected') return { failure: routed.reason };
  const submitter = routed.value;
  const target = authorise(model, request, caller, found.target);
  const missing = model.missing(request.operation);
  if (missing !== undefined) fail('COMMAND_INVALID', missing);
  const within = named(model, request, caller, found.within);
  const id = trusted<ChangeId>(randomUUID());
  const lane = laneOf(model, request.operation, caller, target, id);
  return { ...asked, addressed: found, submitter, target, within, lane, id };
}

/** Reads the state of the followed streams. Must run while the lane locks are being acquired, or later. */
export async function followedOf(
  tx: Tx,
  { ledgerClock }: Pick<RequestChangeDeps, 'ledgerClock'>,
  all: readonly Asked[],
): Promise<Followed> {
  const followed = await tx.followed(all.map(({ request }) => request.commandId));
  // The projector may have seen a later ledger time than this process.
  if (followed.ledgerTime !== null) ledgerClock.observe(isoToMs(followed.ledgerTime));
  return followed;
}

/** Checks the policy and the lease under which a request was made; neither can change until the transaction ends. */
export const checkOrigin = async (tx: Tx, { request, caller }: Pending): Promise<void> => {
  await Promise.all([checkPolicy(tx, request, caller), checkTerm(tx, request)]);
};

/**
 * Returns a lifecycle as it is while its lane is locked, or `null`. An ended lifecycle is read separately, because it
 * is not loaded with its lane.
 */
async function asLocked(
  tx: Tx,
  ws: WorkingSet,
  seen: Lifecycle,
  lane: LaneId,
): Promise<Lifecycle | null> {
  const loaded = ws.lifecycle(seen.id);
  if (loaded !== undefined || seen.lane !== lane) return loaded ?? seen;
  const found = await tx.findLifecycle(seen.id);
  if (found !== null) ws.addSeen(found);
  return found;
}

/** Returns the update of a lost operation with the same command, or `null`. */
export const lostEffect = (
  { tombstones }: Followed,
  { commandId, actAs }: CommandKey,
): UpdateId | null =>
  tombstones.find((found) => found.commandId === commandId && found.actAs.includes(actAs))
    ?.updateId ?? null;

/**
 * Judges a request whose lane is locked and loaded, and adds its change to the working set. A refused request leaves
 * the working set unchanged, so that the next requests can be judged with it.
 *
 * @throws ProblemError
 */
export async function judge(
  tx: Tx,
  deps: RequestChangeDeps,
  ws: WorkingSet,
  followed: Followed,
  pending: Pending,
): Promise<Change> {
  const { request, submitter, lane } = pending;
  const { cursors, foreign } = followed;
  const { commandId } = request;
  const updateId = lostEffect(followed, { commandId, actAs: submitter.actAs });
  if (updateId !== null) throw new ProblemError(tookEffect(commandId, updateId));
  requireReplayed(followed, [submitter.participant]);
  requireOwnLedgers(foreign, [submitter.participant, deps.hosting.projected]);
  const mine = pending.target;
  // A lifecycle of another lane is only read: its machine judges the change, but makes no step.
  if (mine !== null && mine.lane !== lane) ws.addSeen(mine);
  const lifecycle =
    mine === null ? null : ((await asLocked(tx, ws, mine, lane)) ?? notFound(deps.model, request));
  const through = pending.within === null ? null : await asLocked(tx, ws, pending.within, lane);
  // This offset is not after the current ledger end, so every effect of this change comes after it.
  const deduplicationOffset = cursors.get(completionsStream(submitter.participant));
  if (deduplicationOffset === undefined) {
    return fail('STORE_NOT_READY', 'the query store has not caught up with the ledger yet');
  }
  checkVersion(request, request.tagOf === 'within' ? through : lifecycle);
  const fixed = await fixedParts(deps, tx, request, { lifecycle, through });
  const mailboxNo = ws.mailbox(lane).nextNo;
  const now = new Date(deps.wallClock.nowMs()).toISOString();
  const parts = { ...pending, lifecycle, fixed, deduplicationOffset, mailboxNo };
  const waitingMax =
    request.policy === undefined ? (deps.mailboxMax ?? LIMITS.mailboxMax) : Infinity;
  return enter(ws, recorded(deps.model, parts, now), waitingMax, { ...timesOf(deps), now });
}
