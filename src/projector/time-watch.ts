import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TICK, tickCommand } from '../app/commands.ts';
import { hearParticipant } from '../app/hear-participant.ts';
import { LeaseLostError } from '../app/leased.ts';
import type { Io, LedgerGateway, Log, Store, Tx, WallClock } from '../app/ports.ts';
import { completionsStream } from '../app/ports.ts';
import type { AwaitedProof } from '../app/proof-port.ts';
import type { Hear, ProofBounds } from '../app/proof.ts';
import { SENT_WITHIN_MS, isProven } from '../app/proof.ts';
import type { RecordClocks } from '../app/record-clocks.ts';
import type { Missing, Sight, Standstill, Tick } from '../app/standstill.ts';
import { missingOf, standstillOf } from '../app/standstill.ts';
import type { CommandId, ParticipantName, SubmissionId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import type { SynchronizerTimes } from '../domain/ledger.ts';
import { LIMITS } from '../domain/limits.ts';
import type { CircuitReason } from '../domain/pause.ts';
import { isoToMs } from '../domain/time.ts';

export interface TimeWatchDeps {
  readonly store: Store;
  readonly gateway: Pick<LedgerGateway, 'submit' | 'synchronizers'>;
  readonly hear: Hear;
  readonly bounds: ProofBounds;
  readonly wallClock: WallClock;
  readonly log: Log;
  readonly leaseEpoch: bigint;
  readonly clocks: RecordClocks;
  /**
   * A record time that guards wait for, with whom it can be moved through; `null` when nothing waits.
   *
   * @default nothing ever does
   */
  readonly wanted?:
    | ((participant: ParticipantName, io: Io) => Promise<AwaitedProof | null>)
    | undefined;
  /** When the participant last told something, and how long that had happened before. */
  readonly arrivalOf: (participant: ParticipantName) => Sight['arrival'];
}

/** Why it is not moved now. Nobody is asked more often than what holds it back lasts. */
const HELD_BACK: Readonly<Record<'pause' | CircuitReason, string>> = {
  pause: 'a person has paused what goes there',
  busy: 'the participant is left alone, being busy',
  traffic: 'the participant has no traffic left to pay the network with',
  unreachable: 'the participant cannot be reached',
};

/**
 * Sees to it that what waits for a proof comes to it: hears participants of whose attempts it is not known when they were
 * read, moves the time of synchronizers on which nothing happens, and writes down what is in the way.
 */
export class TimeWatch {
  readonly #deps: TimeWatchDeps;
  readonly #participant: ParticipantName;
  /** As written down; unknown until the first look of this term. */
  #standstill: Standstill | null | undefined = undefined;
  #apartMs: number | null | undefined = undefined;
  #tick: Tick | null = null;
  #missing: Missing = new Map();
  #restMs: number = LIMITS.proofLookMs;

  constructor(deps: TimeWatchDeps, participant: ParticipantName) {
    this.#deps = deps;
    this.#participant = participant;
  }

  /** @throws LeaseLostError when another process follows the ledger */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(this.#restMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const io: Io = { signal, deadlineMs: LIMITS.ledgerCallMs };
      try {
        await this.look(io);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        this.#deps.log.debug(
          { participant: this.#participant, error: String(error) },
          'time watch',
        );
      }
    }
  }

  /** Looks once. */
  async look(io: Io): Promise<void> {
    const isHeard = await hearParticipant(this.#deps, this.#participant, this.#deadline(), io);
    // One that is away is asked less and less often.
    this.#restMs =
      isHeard === false
        ? Math.min(2 * this.#restMs, LIMITS.unavailableBackoffMsMax)
        : LIMITS.proofLookMs;
    const { times, waiting, provenAt } = await this.#read(io);
    const isAwaited = waiting !== null && !isProven(waiting.proofAt, provenAt);
    if (waiting !== null && isAwaited) await this.#move(waiting, times, io);
    else await this.#moveForGuards(times, io);
    await this.#tell(times, isAwaited ? (waiting?.proofAt ?? null) : null, io);
  }

  /** Whatever was begun before is not sent any more. */
  #deadline(): string {
    const { wallClock, bounds } = this.#deps;
    const ms = wallClock.nowMs() - SENT_WITHIN_MS - bounds.clockDifferenceMs;
    return new Date(ms).toISOString();
  }

  #read(io: Io) {
    return this.#deps.store.transact(io, async (tx) => {
      const [times, waiting, provenAt] = await Promise.all([
        tx.synchronizerTimes(this.#participant),
        tx.nextProof(this.#participant),
        tx.provenTime(this.#participant),
      ]);
      return { times, waiting, provenAt };
    });
  }

  /** What needs no proof of an attempt may need the time all the same: that a window has closed, for one. */
  async #moveForGuards(times: SynchronizerTimes, io: Io): Promise<void> {
    const wanted = await this.#deps.wanted?.(this.#participant, io);
    if (wanted !== undefined && wanted !== null) await this.#move(wanted, times, io);
  }

  /**
   * A participant asks for its synchronizer's time unasked once a day. Where the bound of an attempt is past by our
   * clock and nothing has happened since, something is made to happen.
   */
  async #move(waiting: AwaitedProof, times: SynchronizerTimes, io: Io): Promise<void> {
    const nowMs = this.#deps.wallClock.nowMs();
    const proofMs = isoToMs(waiting.proofAt);
    if (nowMs < proofMs) return;
    const still = [...times].filter(([, at]) => isoToMs(at) < proofMs).map(([id]) => id);
    if (this.#tick !== null && nowMs - this.#tick.sentMs < LIMITS.tickMs) return;
    const targets = times.size > 1 ? still : [''];
    for (const synchronizer of targets) {
      const refusal = await this.#submitTick(waiting, synchronizer, io);
      this.#tick = { sentMs: nowMs, refusal };
    }
  }

  async #submitTick(
    { submitter, provider }: AwaitedProof,
    synchronizerId: string,
    io: Io,
  ): Promise<string | null> {
    const { store, gateway, log } = this.#deps;
    const held = await store.reads.heldBack(submitter.participant, provider, io);
    if (held !== null) return HELD_BACK[held];
    const cursors = await store.transact(io, (tx) => tx.cursors());
    const id = randomUUID();
    const answer = await gateway.submit(
      {
        submitter,
        commandId: trusted<CommandId>(`${TICK}:${id}`),
        submissionId: trusted<SubmissionId>(id),
        workflowId: TICK,
        deduplicationOffset: cursors.get(completionsStream(submitter.participant)) ?? 0n,
        command: tickCommand(submitter.actAs, provider),
        disclosed: [],
        synchronizerId,
      },
      io,
    );
    const outcome = answer?.code ?? 'submitted';
    log.info({ participant: this.#participant, synchronizerId, outcome }, 'moved its time');
    return answer?.explanation ?? null;
  }

  async #miss(times: SynchronizerTimes, awaitedAt: string | null, io: Io): Promise<Missing> {
    if (awaitedAt === null) return new Map();
    const { gateway, wallClock } = this.#deps;
    const connected = await gateway.synchronizers(this.#participant, io).catch(() => null);
    return missingOf(this.#missing, times, connected, awaitedAt, wallClock.nowMs());
  }

  async #tell(times: SynchronizerTimes, awaitedAt: string | null, io: Io): Promise<void> {
    const { store, wallClock, arrivalOf, clocks, leaseEpoch, log } = this.#deps;
    this.#missing = await this.#miss(times, awaitedAt, io);
    const sight: Sight = {
      nowMs: wallClock.nowMs(),
      times,
      missing: this.#missing,
      arrival: arrivalOf(this.#participant),
      tick: this.#tick,
      isAwaited: awaitedAt !== null,
    };
    const before = this.#standstill;
    const now = standstillOf(sight, before ?? null);
    const apartMs = clocks.apartMs(this.#participant);
    const isSame = now === null && before === null && apartMs === this.#apartMs;
    if (isSame) return;
    if (apartMs !== null && apartMs !== this.#apartMs) {
      log.error({ participant: this.#participant, apartMs }, 'clocks are too far apart');
    }
    if (before !== undefined && now?.kind !== before?.kind) {
      log.warn({ participant: this.#participant, ...(now ?? { kind: 'none' }) }, 'standstill');
    }
    await store.transact(io, async (tx: Tx) => {
      if (!(await tx.moveCursors([], leaseEpoch))) throw new LeaseLostError();
      await tx.setStandstill(this.#participant, now);
      if (apartMs !== this.#apartMs) await tx.setClockApart(this.#participant, apartMs);
    });
    this.#standstill = now;
    this.#apartMs = apartMs;
  }
}

/** Watches every participant, until the signal aborts. @throws LeaseLostError */
export async function watchTime(
  deps: TimeWatchDeps,
  participants: readonly ParticipantName[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(participants.map((name) => new TimeWatch(deps, name).run(signal)));
}
