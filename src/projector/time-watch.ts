import { randomUUID } from 'node:crypto';
import { hearParticipant } from '../app/engine/outcomes/hear-participant.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { Store, Tx } from '../app/ports/transaction.ts';
import { completionsStream, isReadAgain } from '../app/ports/streams.ts';
import type { AwaitedProof, ClocksApart, SynchronizerStanding } from '../app/ports/proofs.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { Hear, ProofBounds } from '../app/engine/doubts/proof.ts';
import { SENT_WITHIN_MS, isProven } from '../app/engine/doubts/proof.ts';
import type { RecordClocks } from '../app/engine/doubts/record-clocks.ts';
import type { Backoff } from '../domain/backoff.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import type { Standstill } from '../domain/participant-health.ts';
import type { Missing, Sight } from '../app/engine/doubts/standstill.ts';
import { missingOf, standstillOf } from '../app/engine/doubts/standstill.ts';
import type { ContractModel } from '../app/contract/model.ts';
import type { Ticks } from '../app/engine/doubts/ticks.ts';
import { TICK } from '../app/engine/doubts/ticks.ts';
import type { CommandId, ParticipantName, SubmissionId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { PROJECTOR_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { CircuitReason } from '../domain/participant-health.ts';
import { isoToMs } from '../domain/time.ts';
import { EndedWatch } from './ended-watch.ts';

export interface TimeWatchDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly gateway: Pick<LedgerGateway, 'submit' | 'synchronizers'>;
  readonly hear: Hear;
  readonly bounds: ProofBounds;
  readonly wallClock: WallClock;
  readonly log: Log;
  readonly leaseEpoch: bigint;
  readonly clocks: RecordClocks;
  readonly ticks: Ticks;
  /**
   * Whether the ledger's time is set by hand. Such a time is unrelated to real time, so a proof that waits for it is no
   * defect.
   *
   * @default false
   */
  readonly isTimeStatic?: boolean | undefined;
  /**
   * Returns a record time for which guards wait, and the submitter through which time can be advanced; `null` if none
   * waits.
   *
   * @default always null
   */
  readonly wanted?:
    | ((participant: ParticipantName, io: Io) => Promise<AwaitedProof | null>)
    | undefined;
  /** Returns the record time for which all requests wait after the ledger user was replaced. */
  readonly lost?:
    | ((participant: ParticipantName, io: Io) => Promise<AwaitedProof | null>)
    | undefined;
  /** Returns when the participant last reported something, and how old that report was at least. */
  readonly arrivalOf: (participant: ParticipantName) => Sight['arrival'];
}

/** The stored data about a participant at one moment. */
interface Seen {
  readonly synchronizers: readonly SynchronizerStanding[];
  readonly waiting: readonly AwaitedProof[];
  readonly apart: ClocksApart;
  /** Whether requests for the participant are held. */
  readonly isHeld: boolean;
}

const givenUpOf = ({ synchronizers }: Seen): string[] =>
  synchronizers.filter(({ isGivenUp }) => isGivenUp).map(({ synchronizer }) => synchronizer);

const turnOf = ({ submitter: { ledgerUser, actAs } }: AwaitedProof): string =>
  `${ledgerUser}\n${actAs}`;

const isSame = (one: ClocksApart, other: ClocksApart): boolean =>
  one.size === other.size && [...one].every(([id, apartMs]) => other.get(id) === apartMs);

/** Intervals between checks: an unreachable participant is checked less and less often. */
const LOOKS: Backoff = {
  firstMs: PROJECTOR_LIMITS.proofLookMs,
  maxMs: LIMITS.unavailableBackoffMsMax,
  jitter: 0,
};

/** Why time is not advanced at present. No participant is called again before its obstacle has ended. */
const HELD_BACK: Readonly<Record<'pause' | CircuitReason, string>> = {
  pause: 'an operator has paused submissions to the participant',
  busy: 'the participant is busy',
  traffic: 'the participant has no traffic credit left',
  unreachable: 'the participant is unreachable',
};

/**
 * Obtains the proofs for which attempts wait: calls participants to bound attempts without a bound, advances the time
 * of idle synchronizers, and records obstacles.
 */
export class TimeWatch {
  readonly #deps: TimeWatchDeps;
  readonly #participant: ParticipantName;
  /** The stored standstill; `undefined` before the first check of this term. */
  #standstill: Standstill | null | undefined = undefined;
  #missing: Missing = new Map();
  /** Key of the submitter through which time was last advanced. */
  #turn = '';
  readonly #ended: EndedWatch;
  /** Number of calls to the participant that failed in a row. */
  #unheard = 0;

  constructor(deps: TimeWatchDeps, participant: ParticipantName) {
    this.#deps = deps;
    this.#participant = participant;
    this.#ended = new EndedWatch(deps, participant);
  }

  /** @throws LeaseLostError if another process follows the ledger */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(backoffDelayMs(LOOKS, this.#unheard), signal);
      if (signal.aborted) return;
      const io: Io = { signal, deadlineMs: LIMITS.ledgerCallMs };
      try {
        await this.look(io);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        this.#deps.log.debug(
          { participant: this.#participant, error: String(error) },
          'check of participant times',
        );
      }
    }
  }

  /** Makes one check. */
  async look(io: Io): Promise<void> {
    const isHeard = await hearParticipant(this.#deps, this.#participant, this.#deadline(), io);
    this.#unheard = isHeard === false ? this.#unheard + 1 : 0;
    const seen = await this.#read(io);
    this.#deps.clocks.begin(this.#participant, seen.apart);
    this.#deps.clocks.forget(this.#participant, givenUpOf(seen));
    if (seen.waiting.length > 0) await this.#move(seen.waiting, seen, io);
    else await this.#moveForGuards(seen, io);
    await this.#tell(seen, io);
  }

  /** Returns the time before which an attempt must have begun so that it certainly is no longer being sent. */
  #deadline(): string {
    const { wallClock, bounds } = this.#deps;
    const ms = wallClock.nowMs() - SENT_WITHIN_MS - bounds.clockDifferenceMs;
    return new Date(ms).toISOString();
  }

  async #read(io: Io): Promise<Seen> {
    const participant = this.#participant;
    const { provenAt, ...seen } = await this.#deps.store.transact(io, async (tx) => {
      const [synchronizers, waiting, apart, proven, { replaying }] = await Promise.all([
        tx.synchronizersOf(participant),
        tx.awaitedProofs(participant),
        tx.clocksApart(participant),
        tx.provenTime(participant),
        tx.followed(),
      ]);
      const isHeld = isReadAgain(replaying, participant);
      return { synchronizers, waiting, apart, provenAt: proven, isHeld };
    });
    const left = await this.#ended.look(provenAt, io);
    const lost = (await this.#deps.lost?.(participant, io)) ?? null;
    const more = [left, lost].filter((one) => one !== null);
    const open = more.filter(({ proofAt }) => !isProven(proofAt, provenAt));
    return { ...seen, waiting: [...seen.waiting, ...open] };
  }

  /** Advances time for guards that do not need the proof of an attempt, for example that a window has closed. */
  async #moveForGuards(seen: Seen, io: Io): Promise<void> {
    const wanted = await this.#deps.wanted?.(this.#participant, io);
    if (wanted !== undefined && wanted !== null) await this.#move([wanted], seen, io);
  }

  /**
   * Submits a transaction if the bound of an attempt has passed by this process's clock and nothing has happened on the
   * synchronizer since: by itself, a participant requests its synchronizer's time only once a day. The waiting
   * submitters take turns, because one of them may have lost its right to act.
   */
  async #move(waiting: readonly AwaitedProof[], seen: Seen, io: Io): Promise<void> {
    const { ticks, wallClock } = this.#deps;
    const nowMs = wallClock.nowMs();
    const due = waiting
      .filter(({ proofAt }) => isoToMs(proofAt) <= nowMs)
      .toSorted((a, b) => Number(turnOf(a) > turnOf(b)) - Number(turnOf(a) < turnOf(b)));
    const last = ticks.last(this.#participant);
    if (last !== null && nowMs - last.sentMs < PROJECTOR_LIMITS.tickMs) return;
    const next = due.find((one) => turnOf(one) > this.#turn) ?? due[0];
    if (next === undefined) return;
    this.#turn = turnOf(next);
    ticks.begin(this.#participant, nowMs);
    const ignoresCircuit = due.some((one) => one.ignoresCircuit === true);
    const untilMs = Math.max(...due.map(({ proofAt }) => isoToMs(proofAt)));
    for (const synchronizer of this.#targets(seen, untilMs)) {
      await this.#submitTick({ ...next, ignoresCircuit }, synchronizer, nowMs, io);
    }
  }

  /**
   * Returns the synchronizers whose time is idle, or whose clocks must be compared. If the participant has a single
   * synchronizer, returns only an empty name.
   */
  #targets({ synchronizers }: Seen, untilMs: number): readonly string[] {
    const standing = synchronizers.filter(({ isGivenUp }) => !isGivenUp);
    if (standing.length <= 1) return [''];
    const apart = this.#deps.clocks.apart(this.#participant);
    return standing
      .filter(({ synchronizer: id, passedAt }) => isoToMs(passedAt) < untilMs || apart.has(id))
      .map(({ synchronizer }) => synchronizer);
  }

  async #submitTick(
    { submitter, provider, ignoresCircuit = false }: AwaitedProof,
    synchronizerId: string,
    nowMs: number,
    io: Io,
  ): Promise<void> {
    const { model, store, gateway, ticks, log } = this.#deps;
    const id = trusted<SubmissionId>(randomUUID());
    const held = await store.reads.heldBack(submitter.participant, provider, io);
    if (held !== null && (held === 'pause' || !ignoresCircuit)) {
      ticks.refused(this.#participant, id, HELD_BACK[held]);
      return;
    }
    const cursors = await store.transact(io, (tx) => tx.cursors());
    // Recorded before the submission, because the completion may arrive before the answer.
    ticks.sent(id, nowMs);
    const answer = await gateway.submit(
      {
        submitter,
        commandId: trusted<CommandId>(`${TICK}:${id}`),
        submissionId: id,
        workflowId: TICK,
        deduplicationOffset: cursors.get(completionsStream(submitter.participant)) ?? 0n,
        command: model.tick(submitter.actAs, provider),
        disclosed: [],
        synchronizerId,
      },
      io,
    );
    const outcome = answer?.code ?? 'submitted';
    log.info(
      { participant: this.#participant, synchronizerId, outcome },
      'advanced the time of a quiet synchronizer',
    );
    if (answer !== null) ticks.refused(this.#participant, id, answer.explanation);
  }

  async #tell(seen: Seen, io: Io): Promise<void> {
    const { store, clocks, leaseEpoch } = this.#deps;
    const participant = this.#participant;
    const isAwaited = seen.waiting.length > 0;
    const givenUp = givenUpOf(seen);
    const connected = isAwaited || givenUp.length > 0 ? await this.#connected(io) : null;
    const back = givenUp.filter((id) => connected?.includes(id));
    const before = this.#standstill;
    const now = standstillOf(this.#sight(seen, isAwaited ? connected : null), before ?? null);
    const apart = clocks.apart(participant);
    const isApartSame = isSame(apart, seen.apart);
    if (now === null && before === null && isApartSame && back.length === 0) return;
    this.#log(now, isApartSame);
    await store.transact(io, async (tx: Tx) => {
      if (!(await tx.moveCursors([], leaseEpoch))) throw new LeaseLostError();
      await tx.setStandstill(participant, now);
      if (!isApartSame) await tx.setClocksApart(participant, apart);
      await tx.knowSynchronizers(participant, back);
    });
    this.#standstill = now;
  }

  #connected(io: Io): Promise<readonly string[] | null> {
    return this.#deps.gateway.synchronizers(this.#participant, io).catch(() => null);
  }

  /** Returns the participant's current state. Also records since when each awaited synchronizer has been missing. */
  #sight({ synchronizers, waiting, isHeld }: Seen, connected: readonly string[] | null): Sight {
    const nowMs = this.#deps.wallClock.nowMs();
    const standing = synchronizers.filter(({ isGivenUp }) => !isGivenUp);
    const times = new Map(standing.map(({ synchronizer, passedAt }) => [synchronizer, passedAt]));
    const [awaitedAt] = waiting
      .map(({ proofAt }) => proofAt)
      .toSorted((a, b) => isoToMs(a) - isoToMs(b));
    this.#missing =
      awaitedAt === undefined
        ? new Map()
        : missingOf(this.#missing, times, connected, awaitedAt, nowMs);
    return {
      nowMs,
      times,
      missing: this.#missing,
      arrival: this.#deps.arrivalOf(this.#participant),
      tick: this.#deps.ticks.last(this.#participant),
      apartMs: this.#apartMs(),
      isHeld,
      isAwaited: waiting.length > 0,
    };
  }

  /** Returns how far the clocks are apart; `null` if they are not, or if the ledger's time is static. */
  #apartMs(): number | null {
    const { isTimeStatic, clocks } = this.#deps;
    return isTimeStatic === true ? null : clocks.apartMs(this.#participant);
  }

  #log(now: Standstill | null, isApartSame: boolean): void {
    const { log } = this.#deps;
    const participant = this.#participant;
    const apartMs = this.#apartMs();
    if (!isApartSame && apartMs !== null) {
      log.error({ participant, apartMs }, 'clocks differ too much');
    }
    const before = this.#standstill;
    if (before !== undefined && now?.kind !== before?.kind) {
      log.warn({ participant, ...(now ?? { kind: 'none' }) }, 'standstill');
    }
  }
}

/** Watches all participants until the signal fires. @throws LeaseLostError */
export async function watchTime(
  deps: TimeWatchDeps,
  participants: readonly ParticipantName[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(participants.map((name) => new TimeWatch(deps, name).run(signal)));
}
