import type { Caller } from '../../../domain/caller.ts';
import type { Change } from '../../../domain/change.ts';
import type { ChangeId, EffectId, LaneId, ParticipantName } from '../../../domain/ids.ts';
import { ProblemError } from '../../../domain/problems.ts';
import { assert } from '../../../domain/unreachable.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { EagerDispatch, EagerPlace } from '../../ports/outbox.ts';
import type { Followed, Tx } from '../../ports/transaction.ts';
import type { Writes } from '../../ports/writes.ts';
import type {
  Asked,
  ChangeRequest,
  RequestChangeDeps,
  RequestedChange,
  Route,
} from './change-request.ts';
import type { Pending, Unroutable } from './judge-request.ts';
import {
  addressed,
  checkOrigin,
  judge,
  lostEffect,
  lookUp,
  replay,
  requireReplayed,
  followedOf,
} from './judge-request.ts';
import { LeaseLostError } from '../lanes/leased.ts';
import { tookEffect } from '../outcomes/lost-repeats.ts';
import { QuotaCount } from './quotas.ts';
import { WorkingSet, effectIdOf } from '../lanes/working-set.ts';

/** Another transaction holds the lane: the request is recorded in a separate transaction, which waits for the lane. */
export const BUSY = Symbol('another transaction has locked the lane');

export type Outcome = PromiseSettledResult<RequestedChange> | typeof BUSY;

const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/** Returns whether an error concerns only one request. Any other error concerns the whole transaction. */
const isOfRequest = (error: unknown): boolean =>
  error instanceof ProblemError || error instanceof LeaseLostError;

/** Returns whether an attempt needs no data from other services: see `prepareCommand`. */
function isPlain(model: ContractModel, { request }: Asked): boolean {
  const { gather, through } = model.operation(request.operation);
  return request.policy === undefined && gather === undefined && through === undefined;
}

/** Returns the participant of a request, or `null` if the request has no route. */
function participantOf({ route }: Asked): ParticipantName | null {
  try {
    return route.submitter().participant;
  } catch {
    return null;
  }
}

/**
 * The first attempts that one transaction starts for its requests, and their places in the worker of this process. A
 * place is taken before the transaction, so that every started attempt can be sent at once.
 */
export class FirstAttempts implements Disposable {
  readonly #eager: EagerDispatch | undefined;
  readonly #places = new Map<Asked, EagerPlace>();
  /** The effects that this transaction starts, by request. */
  readonly #begun = new Map<Asked, EffectId>();
  #answer: ReturnType<Tx['startFirst']> | null = null;

  constructor(eager: EagerDispatch | undefined, model: ContractModel, all: readonly Asked[]) {
    this.#eager = eager;
    if (eager === undefined) return;
    const wanted = all.flatMap((asked) => {
      const participant = isPlain(model, asked) ? participantOf(asked) : null;
      return participant === null ? [] : [{ asked, participant }];
    });
    const places = eager.take(wanted.map(({ participant }) => participant));
    for (const [index, { asked }] of wanted.entries()) {
      const place = places[index] ?? null;
      if (place !== null) this.#places.set(asked, place);
    }
  }

  /** Called when a transaction begins: nothing that an earlier try of it started was committed. */
  forget(): void {
    this.#begun.clear();
    this.#answer = null;
  }

  /**
   * Called when the change of the request is at the head of its lane. Returns whether its first attempt is started
   * here.
   */
  begin(asked: Asked, change: ChangeId): boolean {
    if (!this.#places.has(asked)) return false;
    this.#begun.set(asked, effectIdOf(change));
    return true;
  }

  /** Saves what was recorded, and starts the attempts. */
  async save(tx: Tx, writes: Writes): Promise<void> {
    const attempts = [...this.#begun].flatMap(([asked, effect]) => {
      const place = this.#places.get(asked);
      return place === undefined ? [] : [{ effect, place }];
    });
    const [one] = attempts;
    if (one === undefined) return tx.save(writes);
    this.#answer = tx.startFirst(
      writes,
      one.place.session,
      attempts.map(({ effect, place: { submissionId } }) => ({ effect, submissionId })),
    );
  }

  /** Submits the started attempts after the transaction has committed. The queue carries the other ones. */
  async submit(): Promise<void> {
    if (this.#answer === null) return;
    const started = await this.#answer();
    for (const [asked, effect] of this.#begun) {
      const attempt = started.get(effect);
      if (attempt === undefined) continue;
      this.#places.get(asked)?.submit(attempt);
      this.#places.delete(asked);
    }
    if (started.size < this.#begun.size) this.#eager?.left();
    this.forget();
  }

  /** Frees the unused places. A transaction that failed may nevertheless have committed the attempts it started. */
  [Symbol.dispose](): void {
    for (const [asked, place] of this.#places) {
      const effect = this.#begun.get(asked);
      if (effect === undefined) place.leave();
      else place.giveUp(effect);
    }
    this.#places.clear();
  }
}

/** A request, with the data read for it once all lanes are locked. */
interface Prepared {
  readonly asked: Asked;
  readonly found: PromiseSettledResult<Pending | RequestedChange | Unroutable>;
  /** Whether the request's policy and lease are still valid; only for requests that are to be recorded. */
  readonly origin: PromiseSettledResult<void> | undefined;
}

const keyOf = ({ request, route }: Asked): string =>
  JSON.stringify([route.actAs, request.commandId]);

/** The requests that one transaction records in order; each is judged with the changes of the earlier ones. */
class Recording {
  readonly #tx: Tx;
  readonly #deps: RequestChangeDeps;
  readonly #ws: WorkingSet;
  readonly #followed: Followed;
  readonly #locked: ReadonlySet<LaneId>;
  readonly #quotas: QuotaCount;
  readonly #first: FirstAttempts | undefined;
  readonly #made = new Map<string, Change>();

  constructor(
    tx: Tx,
    deps: RequestChangeDeps,
    locked: Awaited<ReturnType<Tx['lock']>>,
    followed: Followed,
    quotas: QuotaCount,
    first?: FirstAttempts,
  ) {
    this.#first = first;
    this.#tx = tx;
    this.#deps = deps;
    this.#ws = new WorkingSet(deps.model);
    this.#ws.add(locked);
    this.#locked = new Set(locked.mailboxes.map(({ lane }) => lane));
    this.#followed = followed;
    this.#quotas = quotas;
  }

  get isEmpty(): boolean {
    return this.#made.size === 0;
  }

  async save(): Promise<void> {
    const writes = this.#ws.writes();
    await (this.#first?.save(this.#tx, writes) ?? this.#tx.save(writes));
  }

  /** @throws an error that concerns the whole transaction: then nothing of it may be kept */
  async outcomeOf(prepared: Prepared): Promise<Outcome> {
    const { asked, found } = prepared;
    if (found.status === 'fulfilled' && 'failure' in found.value) {
      return this.#refused(asked, found.value.failure);
    }
    try {
      const made = await this.#record(prepared);
      return made === BUSY ? BUSY : { status: 'fulfilled', value: made };
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      return this.#refused(asked, error);
    }
  }

  async #record({ asked, found, origin }: Prepared): Promise<RequestedChange | typeof BUSY> {
    const twin = this.#made.get(keyOf(asked));
    if (twin !== undefined) return this.#replay(asked, twin);
    if (found.status === 'rejected') throw found.reason;
    const pending = found.value;
    if ('failure' in pending) throw pending.failure;
    if ('change' in pending) return pending;
    if (pending.target !== null && !this.#locked.has(pending.lane)) return BUSY;
    if (origin?.status === 'rejected') throw origin.reason;
    this.#quotas.check(pending);
    const change = await judge(this.#tx, this.#deps, this.#ws, this.#followed, pending);
    this.#made.set(keyOf(asked), change);
    const isFirst = this.#ws.hasNewEffect(change.id) && this.#first?.begin(asked, change.id);
    if (isFirst === true) this.#ws.startsFirst(change.id);
    this.#quotas.add(pending);
    return { change, replayed: false };
  }

  async #replay(asked: Asked, known: Change): Promise<RequestedChange> {
    return replay(this.#deps.model, known, asked, await addressed(this.#tx, asked.request));
  }

  /**
   * Replaces a refusal by a restored database, which must not refuse a request before it knows what took effect after
   * its backup.
   */
  #unlessLost({ request: { commandId }, route: { actAs } }: Asked, error: ProblemError): unknown {
    const updateId = lostEffect(this.#followed, { commandId, actAs });
    if (updateId !== null) return new ProblemError(tookEffect(commandId, updateId));
    try {
      requireReplayed(this.#followed, []);
      return error;
    } catch (notReady) {
      return notReady;
    }
  }

  /**
   * Returns the outcome of a refused request. Another transaction may have recorded the same command while this one
   * waited for the lane; that change may be the reason for the refusal.
   */
  async #refused(asked: Asked, error: unknown): Promise<Outcome> {
    if (!(error instanceof ProblemError)) return failed(error);
    const { request, route } = asked;
    const known = await this.#tx.changeByCommand({
      actAs: route.actAs,
      commandId: request.commandId,
    });
    if (known === null) return failed(this.#unlessLost(asked, error));
    try {
      return { status: 'fulfilled', value: await this.#replay(asked, known) };
    } catch (refusal) {
      return failed(refusal);
    }
  }
}

/**
 * Records requests in order, in a transaction that may do other work as well. A refused request does not affect the
 * others.
 *
 * @param lock for lanes that another transaction holds: waits for them, or leaves their requests `BUSY`
 * @throws an error that concerns the transaction; nothing may be kept then
 */
async function recordAll(
  tx: Tx,
  deps: RequestChangeDeps,
  all: readonly Asked[],
  lock: 'lock' | 'lockFree',
  first?: FirstAttempts,
): Promise<readonly Outcome[]> {
  const looked = await Promise.allSettled(all.map((asked) => lookUp(tx, deps, asked)));
  const pending = looked.map((found) =>
    found.status === 'fulfilled' && 'lane' in found.value ? found.value : null,
  );
  // A change that begins a lifecycle has a new lane, which no other transaction can know.
  const lanes = new Set(pending.flatMap((one) => (one?.target ? [one.lane] : [])));
  const [locked, followed, quotas, origins] = await Promise.all([
    tx[lock]([...lanes]),
    followedOf(tx, deps, all),
    QuotaCount.read(
      tx,
      deps,
      pending.filter((one) => one !== null),
    ),
    Promise.all(
      pending.map(async (one) => {
        if (one === null) return undefined;
        const [origin] = await Promise.allSettled([checkOrigin(tx, one)]);
        return origin;
      }),
    ),
  ]);
  const recording = new Recording(tx, deps, locked, followed, quotas, first);
  const outcomes: Outcome[] = [];
  for (const [index, asked] of all.entries()) {
    const found = looked[index] ?? failed(new Error('what was asked was not looked up'));
    outcomes.push(await recording.outcomeOf({ asked, found, origin: origins[index] }));
  }
  if (!recording.isEmpty) await recording.save();
  return outcomes;
}

/**
 * Records one change, or finds the recorded one, in a transaction that may do other work as well. Waits for the lane.
 *
 * @throws ProblemError if the change is refused; nothing may be kept then
 */
export async function recordOrReplay(
  tx: Tx,
  deps: RequestChangeDeps,
  request: ChangeRequest,
  caller: Caller,
  route: Route,
): Promise<RequestedChange> {
  const [outcome] = await recordAll(tx, deps, [{ request, caller, route }], 'lock');
  assert(outcome !== undefined && outcome !== BUSY, 'a lane that is waited for is not busy');
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/**
 * Records the requests of several callers as if they came one after another. Does not wait for any lane.
 *
 * @throws an error that concerns the transaction; nothing may be kept then
 */
export const recordTogether = (
  tx: Tx,
  deps: RequestChangeDeps,
  all: readonly Asked[],
  first?: FirstAttempts,
): Promise<readonly Outcome[]> => recordAll(tx, deps, all, 'lockFree', first);
