import { createHash, randomUUID } from 'node:crypto';
import type { PolicyOrigin } from '../../domain/automatic.ts';
import { originParts } from '../../domain/automatic.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Change, Operation, Submitter } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
} from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import { isoToMs } from '../../domain/time.ts';
import { assert } from '../../domain/unreachable.ts';
import { actionOf, hasRole } from './allowed.ts';
import type { ContractModel } from '../contract/model.ts';
import type { OperationDefinition } from '../contract/operation.ts';
import type { Times } from './lane.ts';
import { begin, timesOf } from './lane.ts';
import { LeaseLostError } from './leased.ts';
import type { ForeignLedger } from '../ports/foreign-ledgers.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io, Signals } from '../ports/io.ts';
import type { Hosting } from '../ports/ledger.ts';
import type { Store, Tx } from '../ports/transaction.ts';
import { CLOCK_LEASE } from '../ports/leases.ts';
import { completionsStream } from '../ports/streams.ts';
import { WorkingSet } from './working-set.ts';

/** What a caller asks for; syntax has been checked, rights and state have not. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** A contract ID that the lifecycle ever had, or its own id; `null` for a create. */
  readonly target: string | null;
  /** What the target is reached through, where an address names that too. */
  readonly within?: string;
  /** What the entity tag is of, where that is not the target. */
  readonly tagOf?: 'within';
  readonly commandId: CommandId;
  readonly body: JsonRecord;
  /** Lifecycle versions of which it must be at one, from `If-Match`. */
  readonly ifVersions?: readonly number[];
  /** The trace that asks for it. */
  readonly traceparent?: string;
  /** Where nobody asks at the moment. Not part of what the command ID stands for. */
  readonly policy?: PolicyOrigin;
  /** Only while the policy is at the version that decided it: a change of the policy takes effect at once. */
  readonly onlyIfPolicyStands?: true;
  /** Only under this term of the clock's lease: whoever was stopped and wakes up asks for nothing. */
  readonly clockEpoch?: bigint;
}

export interface RequestedChange {
  readonly change: Change;
  /** The command ID was known with the same meaning: nothing new was recorded. */
  readonly replayed: boolean;
}

export interface RequestChangeDeps {
  readonly store: Store;
  readonly hosting: Hosting;
  readonly model: ContractModel;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly signals: Signals;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a command ID stands for: the operation, what it is done to, and the body, key order aside. */
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
 * The recorded change of this command ID, if it means the same and was asked by the same party: at whichever address,
 * as long as that does not lead through another lifecycle.
 */
function replay(
  model: ContractModel,
  found: Change,
  caller: Caller,
  request: ChangeRequest,
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

/** What an address names, as the store knows it before anything is locked. */
interface Addressed {
  readonly target: Lifecycle | null;
  readonly within: Lifecycle | null;
}

/** The lifecycle through which the target is reached. Not found and not yours look the same here too. */
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

/** Not found and not yours look the same; a step that another role has is refused as such. */
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
  fail('PRECONDITION_FAILED', `the lifecycle is at version ${lifecycle.version}`, {
    extra: { version: lifecycle.version, state: lifecycle.state },
  });
}

/** Held until the change is recorded: whoever changes the policy comes before it, or after it. */
async function checkPolicy(
  tx: Tx,
  { policy, onlyIfPolicyStands }: ChangeRequest,
  { party }: Caller,
): Promise<void> {
  if (policy === undefined || onlyIfPolicyStands === undefined) return;
  const version = await tx.policyVersion(policy.name, party);
  if (version === policy.version) return;
  fail('PRECONDITION_FAILED', `the policy is at version ${version}`, { extra: { version } });
}

/** Held until the change is recorded, as every other write under a lease. */
async function checkTerm(tx: Tx, { clockEpoch }: ChangeRequest): Promise<void> {
  if (clockEpoch === undefined || (await tx.holdsLease(CLOCK_LEASE, clockEpoch))) return;
  throw new LeaseLostError();
}

/**
 * What is to be done on a ledger is judged by the store's view of it, and answered from there: of another ledger's it
 * knows nothing. So nothing is promised, which whoever put the ledger there may have to take back.
 */
function requireOwnLedgers(
  foreign: readonly ForeignLedger[],
  participants: readonly ParticipantName[],
): void {
  const found = foreign.find(({ participant }) => participants.includes(participant));
  if (found === undefined) return;
  fail(
    'STORE_NOT_READY',
    `participant ${found.participant} holds another ledger than the query store follows`,
  );
}

interface Parts {
  readonly request: ChangeRequest;
  readonly caller: Caller;
  readonly submitter: Submitter;
  readonly lifecycle: Lifecycle | null;
  readonly fingerprint: string;
  readonly fixed: JsonRecord;
  readonly deduplicationOffset: bigint;
  readonly mailboxNo: number;
  readonly lane: LaneId;
  readonly id: ChangeId;
}

/** Whom a change is about. What begins a lifecycle is asked by the user, of the provider that it names. */
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
  fingerprint: from.fingerprint,
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
 * Writes the change into its lane. At the head of an idle lane it is judged at once: a step that the machine
 * does not take is refused and leaves nothing behind. Behind others it is judged at its turn.
 */
function enter(ws: WorkingSet, change: Change, times: Times): Change {
  const mailbox = ws.mailbox(change.lane);
  ws.putMailbox({ ...mailbox, nextNo: mailbox.nextNo + 1 });
  if (mailbox.head === null && mailbox.waiting === 0) {
    const refused = begin(ws, change, times);
    if (refused !== null) throw new ProblemError(refused);
  } else {
    const behind = ws.mailbox(change.lane);
    ws.putMailbox({ ...behind, waiting: behind.waiting + 1 });
    ws.putChange(change);
  }
  return ws.change(change.id) ?? change;
}

/** A step's lane is its lifecycle's. What happens beside one waits for nobody but the same caller's other ones. */
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

async function addressed(tx: Tx, request: ChangeRequest): Promise<Addressed> {
  const [target, within] = await Promise.all([
    request.target === null ? null : tx.findLifecycle(request.target),
    request.within === undefined ? null : tx.findLifecycle(request.within),
  ]);
  return { target, within };
}

/** What is chosen once for a change, so that all its attempts carry the same. */
async function fixedParts(
  { model, ledgerClock }: Pick<RequestChangeDeps, 'model' | 'ledgerClock'>,
  tx: Tx,
  ws: WorkingSet,
  { operation, body, policy }: ChangeRequest,
  seen: { readonly lifecycle: Lifecycle | null; readonly through: Lifecycle | null },
): Promise<JsonRecord> {
  const fixed = await model.operation(operation).fix?.({
    tx,
    body,
    ...seen,
    around: seen.lifecycle === null ? [] : ws.lifecyclesIn(seen.lifecycle.lane),
    certainMs: ledgerClock.certainMs(),
    pastMs: ledgerClock.pastMs(),
  });
  return { ...(policy === undefined ? {} : originParts(policy)), ...fixed };
}

async function record(
  tx: Tx,
  deps: RequestChangeDeps,
  request: ChangeRequest,
  caller: Caller,
  route: Route,
): Promise<RequestedChange> {
  const [known, { target, within }] = await Promise.all([
    tx.changeByCommand({ actAs: route.actAs, commandId: request.commandId }),
    addressed(tx, request),
  ]);
  if (known !== null) return replay(deps.model, known, caller, request, { target, within });
  const submitter = route.submitter();
  const mine = authorise(deps.model, request, caller, target);
  const missing = deps.model.missing(request.operation);
  if (missing !== undefined) fail('COMMAND_INVALID', missing);
  const seen = named(deps.model, request, caller, within);
  const id = trusted<ChangeId>(randomUUID());
  const lane = laneOf(deps.model, request.operation, caller, mine, id);
  const [locked, cursors, ledgerTime, foreign] = await Promise.all([
    tx.lock([lane]),
    tx.cursors(),
    tx.ledgerTime(),
    tx.foreignLedgers(),
    checkPolicy(tx, request, caller),
    checkTerm(tx, request),
  ]);
  requireOwnLedgers(foreign, [submitter.participant, deps.hosting.projected]);
  // What the projector has seen may be news to this process.
  if (ledgerTime !== null) deps.ledgerClock.observe(isoToMs(ledgerTime));
  const ws = new WorkingSet(deps.model);
  ws.add(locked);
  // Only looked at where the lane is another: its machine judges, and is not stepped.
  if (mine !== null && mine.lane !== lane) ws.addSeen(mine);
  const lifecycle = mine === null ? null : (ws.lifecycle(mine.id) ?? notFound(deps.model, request));
  const through = seen === null ? null : (ws.lifecycle(seen.id) ?? seen);
  // A lower bound of the ledger end now: whatever this change does comes after it.
  const deduplicationOffset = cursors.get(completionsStream(submitter.participant));
  if (deduplicationOffset === undefined) {
    return fail('STORE_NOT_READY', 'the query store does not follow the ledger yet');
  }
  checkVersion(request, request.tagOf === 'within' ? through : lifecycle);
  const change = recorded(
    deps.model,
    {
      request,
      caller,
      submitter,
      lifecycle,
      fingerprint: fingerprintOf(request, lifecycle),
      fixed: await fixedParts(deps, tx, ws, request, { lifecycle, through }),
      deduplicationOffset,
      mailboxNo: ws.mailbox(lane).nextNo,
      lane,
      id,
    },
    new Date(deps.wallClock.nowMs()).toISOString(),
  );
  const times: Times = { ...timesOf(deps), now: change.acceptedAt };
  const entered = enter(ws, change, times);
  await tx.save(ws.writes());
  return { change: entered, replayed: false };
}

/**
 * Records a change in a transaction that may hold more, or finds it recorded.
 *
 * While this call waited for its lane the same command may have been recorded by another one, and be the very reason
 * for which this one would be refused.
 */
export async function recordOrReplay(
  tx: Tx,
  deps: RequestChangeDeps,
  request: ChangeRequest,
  caller: Caller,
  route: Route,
): Promise<RequestedChange> {
  try {
    return await record(tx, deps, request, caller, route);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { actAs } = route;
    const known = await tx.changeByCommand({ actAs, commandId: request.commandId });
    if (known === null) throw error;
    return replay(deps.model, known, caller, request, await addressed(tx, request));
  }
}

/** Who must sign on the ledger for this operation of this caller. */
const actingParty = ({ actAs }: OperationDefinition, caller: Caller, provider: Party): Party =>
  actAs === 'caller' ? caller.party : provider;

/** Whom a change acts as, and through whom it goes if it is new. What is recorded stays where it went. */
export interface Route {
  readonly actAs: Party;
  /** @throws ProblemError `PARTY_NOT_HOSTED`; what kept the participants from being asked */
  readonly submitter: () => Submitter;
}

/** Where a caller's change goes. Whether it can go there matters only if it is not recorded yet. */
export async function routeFor(
  { hosting, model }: Pick<RequestChangeDeps, 'hosting' | 'model'>,
  operation: Operation,
  caller: Caller,
  io: Io,
): Promise<Route> {
  const actAs = actingParty(model.operation(operation), caller, hosting.provider);
  const [asked] = await Promise.allSettled([hosting.submitterFor(actAs, io)]);
  const submitter = (): Submitter => {
    if (asked.status === 'rejected') throw asked.reason;
    return asked.value ?? fail('PARTY_NOT_HOSTED', `no configured participant can act as ${actAs}`);
  };
  return { actAs, submitter };
}

/** What was refused for a time that only our own clock takes for past can be had once the ledger has said so. */
function askForTime({ ledgerClock }: RequestChangeDeps, error: unknown): void {
  if (!(error instanceof ProblemError)) return;
  const awaited = error.details.extra?.['ledgerTimeAwaited'];
  if (typeof awaited === 'string') ledgerClock.ask(isoToMs(awaited));
}

/**
 * Accepts a change: once this returns, the change is committed and will be driven to its end. The same
 * command ID with the same meaning returns the recorded change.
 *
 * @example
 * const accepted = await requestChange(
 *   deps,
 *   caller,
 *   {
 *     operation: 'cancel-install',
 *     target: lifecycle.contractId,
 *     commandId: parseCommandId('cancel-17'),
 *     body: {},
 *   },
 *   io,
 * );
 *
 * @throws ProblemError when it is refused; then nothing has been recorded.
 */
export async function requestChange(
  deps: RequestChangeDeps,
  caller: Caller,
  request: ChangeRequest,
  io: Io,
): Promise<RequestedChange> {
  const route = await routeFor(deps, request.operation, caller, io);
  await deps.ledgerClock.refresh(io);
  const made = await deps.store
    .transact(io, (tx) => recordOrReplay(tx, deps, request, caller, route))
    .catch((error: unknown) => {
      askForTime(deps, error);
      throw error;
    });
  if (!made.replayed && made.change.state === 'submitting') deps.signals.effectsDue();
  return made;
}
