import type { Caller } from '../../../domain/caller.ts';
import type { Operation, Submitter } from '../../../domain/change.ts';
import type { Party } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { ProblemError, fail } from '../../../domain/problems.ts';
import { isoToMs } from '../../../domain/time.ts';
import type { OperationDefinition } from '../../contract/operation.ts';
import type { Io, Turn } from '../../ports/io.ts';
import type { EagerDispatch } from '../../ports/outbox.ts';
import type {
  Asked,
  ChangeRequest,
  RequestChangeDeps,
  RequestedChange,
  Route,
} from './change-request.ts';
import { createGathering, msUntil } from '../lanes/gathering.ts';
import type { Outcome } from './record-change.ts';
import { BUSY, FirstAttempts, recordOrReplay, recordTogether } from './record-change.ts';

/** Returns the party that must sign this caller's operation on the ledger. */
const actingParty = ({ actAs }: OperationDefinition, caller: Caller, provider: Party): Party =>
  actAs === 'caller' ? caller.party : provider;

/** Returns the route of a caller's change. A missing submitter is an error only if the change is not recorded yet. */
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

/** Asks the ledger for its time if a refusal waits for a time that has passed only by our own clock. */
function askForTime({ ledgerClock }: RequestChangeDeps, error: unknown): void {
  if (!(error instanceof ProblemError)) return;
  const awaited = error.details.extra?.['ledgerTimeAwaited'];
  if (typeof awaited === 'string') ledgerClock.ask(isoToMs(awaited));
}

async function prepared(
  deps: RequestChangeDeps,
  caller: Caller,
  request: ChangeRequest,
  io: Io,
): Promise<Asked> {
  const [route] = await Promise.all([
    routeFor(deps, request.operation, caller, io),
    deps.ledgerClock.refresh(io),
  ]);
  return { request, caller, route };
}

const recordAlone = (
  deps: RequestChangeDeps,
  { request, caller, route }: Asked,
  io: Io,
): Promise<RequestedChange> =>
  deps.store.transact(io, (tx) => recordOrReplay(tx, deps, request, caller, route));

/** Rejects like `recording`, but first asks the ledger for the time that the refusal waits for. */
const orAskForTime = (
  deps: RequestChangeDeps,
  recording: Promise<RequestedChange>,
): Promise<RequestedChange> =>
  recording.catch((error: unknown) => {
    askForTime(deps, error);
    throw error;
  });

/**
 * Accepts a change: once this returns, the change is committed and will be driven to its end. A repeated request with
 * the same command ID and the same meaning returns the recorded change.
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
  return orAskForTime(deps, recordAlone(deps, await prepared(deps, caller, request, io), io));
}

/** Like `requestChange`, but concurrent requests are batched into one transaction. */
export type Door = (caller: Caller, request: ChangeRequest, io: Io) => Promise<RequestedChange>;

export interface DoorDeps extends RequestChangeDeps {
  /** Returns whether an error would occur in every other transaction as well. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** @default LIMITS.gatherSlowMs */
  readonly slowMs?: number;
  /** See `Gathering`. */
  readonly waitsForBreath?: boolean;
  /**
   * Returns whether other requests are being processed. Then requests that arrive within `LIMITS.doorRestMs` are
   * recorded together. All later work, up to the answer, is done for the whole batch and costs more per batch than per
   * request.
   *
   * @default never
   */
  readonly isBusy?: () => boolean;
  /**
   * Submits the first attempt of a change at once if the change comes to the head of its lane.
   *
   * @default the queue carries every attempt
   */
  readonly eager?: EagerDispatch;
}

/** A request that waits for its transaction. */
interface Waiting {
  readonly asked: Asked;
  readonly untilMs: number;
  readonly turn: Turn | undefined;
}

/** Batches hold requests of several tenants, so they take turns under a separate tenant name, which no party has. */
const BATCHES = 'batches';

/** Returns the turn of a batch. All its callers use the same connections: those of the API, or those of the engine. */
const turnOf = ([first]: readonly Waiting[]): { readonly turn?: Turn } =>
  first?.turn === undefined
    ? {}
    : { turn: { share: first.turn.share, of: { party: BATCHES, subject: '' } } };

/** Rolls back a transaction in which every request was refused or already recorded, so that refusals write nothing. */
const NOTHING_NEW = new Error('nothing was recorded');

const isNew = (outcome: Outcome): boolean =>
  outcome !== BUSY && outcome.status === 'fulfilled' && !outcome.value.replayed;

/**
 * Accepts changes in batches. Requests that arrive during a transaction are recorded together by the next one, whatever
 * their lanes. If no transaction is running and no other request is being processed, a request is recorded at once.
 * Each answer is the one that `requestChange` would give; an obstacle to one request delays only that request.
 */
export function openDoor(deps: DoorDeps): Door {
  async function recordEach(all: readonly Asked[], io: Io): Promise<readonly Outcome[]> {
    let outcomes: readonly Outcome[] = [];
    using first = new FirstAttempts(deps.eager, deps.model, all);
    try {
      await deps.store.transact(io, async (tx) => {
        first.forget();
        outcomes = await recordTogether(tx, deps, all, first);
        if (!outcomes.some(isNew)) throw NOTHING_NEW;
      });
      await first.submit();
      return outcomes;
    } catch (error) {
      if (error === NOTHING_NEW) return outcomes;
      if (deps.isUnavailable(error)) throw error;
      // One of the requests makes the transaction fail. Nothing was recorded, so each is retried alone, and only that
      // one fails.
      return all.map(() => BUSY);
    }
  }
  const gather = createGathering<Waiting, RequestedChange | typeof BUSY>({
    max: LIMITS.recordedTogetherMax,
    slowMs: deps.slowMs ?? LIMITS.gatherSlowMs,
    waitsForBreath: deps.waitsForBreath ?? false,
    rest: { ms: LIMITS.doorRestMs, isWanted: deps.isBusy ?? (() => false) },
    run: async (waiting, signal) => {
      const deadlineMs = msUntil(Math.max(...waiting.map(({ untilMs }) => untilMs)));
      const all = waiting.map(({ asked }) => asked);
      const outcomes = await recordEach(all, { signal, deadlineMs, ...turnOf(waiting) });
      return outcomes.map((one) => (one === BUSY ? { status: 'fulfilled', value: BUSY } : one));
    },
  });
  async function record(asked: Asked, io: Io): Promise<RequestedChange> {
    const waiting = { asked, untilMs: performance.now() + io.deadlineMs, turn: io.turn };
    const made = await gather(waiting, io.signal);
    return made === BUSY ? recordAlone(deps, asked, io) : made;
  }
  return async (caller, request, io) =>
    orAskForTime(deps, record(await prepared(deps, caller, request, io), io));
}
