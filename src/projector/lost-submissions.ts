import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import { buryLost } from '../app/engine/outcomes/lost-operations.ts';
import type { Contact, Hear, ProofBounds } from '../app/engine/doubts/proof.ts';
import { SENT_WITHIN_MS, isProven } from '../app/engine/doubts/proof.ts';
import type { RecordClocks } from '../app/engine/doubts/record-clocks.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { AwaitedProof } from '../app/ports/proofs.ts';
import { completionsStream } from '../app/ports/streams.ts';
import type { Lost } from '../app/ports/tombstones.ts';
import type { Store } from '../app/ports/transaction.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { NOT_YET_KNOWN } from '../domain/change.ts';
import type { ContractId, ParticipantName } from '../domain/ids.ts';
import type { LedgerTransaction } from '../domain/ledger.ts';
import { LIMITS } from '../domain/limits.ts';
import { PROJECTOR_LIMITS } from './limits.ts';
import { tellLost } from './tell.ts';

/* Handles submissions that the database has lost because it was restored to an earlier state after they were sent. */

export interface BuryDeps {
  readonly store: Store;
  readonly streams: LedgerStreams;
  readonly log: Log;
}

/**
 * Stores the command IDs of operations that the store has lost and that took effect on a participant. The participant
 * shows completions only to the ledger user that submitted the command, and that user may have been replaced since. The
 * followed updates contain only the command IDs of the provider. So the transactions of the acting parties are read.
 *
 * @param created see `buryLost`
 */
export async function buryLostOf(
  { store, streams, log }: BuryDeps,
  participant: ParticipantName,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  io: Io,
  created = new Set<ContractId>(),
): Promise<void> {
  const readAs = new Set(streams.readAs);
  let read: LedgerTransaction[] = [];
  const bury = async () => {
    const chunk = read;
    read = [];
    tellLost(log, await store.transact(io, (tx) => buryLost(tx, chunk, readAs, created)));
  };
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(PROJECTOR_LIMITS.bootstrapMs)]);
  for await (const transaction of streams.transactionsOf(participant, after, upTo, signal)) {
    read.push(transaction);
    if (read.length >= PROJECTOR_LIMITS.snapshotChunk) await bury();
  }
  signal.throwIfAborted();
  await bury();
}

export interface LostWatchDeps extends BuryDeps {
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd'>;
  readonly hear: Hear;
  readonly bounds: ProofBounds;
  readonly wallClock: WallClock;
  readonly leaseEpoch: bigint;
  /** While clocks differ too much, a record time proves nothing. */
  readonly clocks: Pick<RecordClocks, 'apartMs'>;
}

/**
 * Determines, after each start of the database server, when lost submissions can no longer take effect. After that,
 * requests that were held back because the ledger user was replaced continue.
 */
export class LostWatch {
  readonly #deps: LostWatchDeps;
  readonly #participant: ParticipantName;
  readonly #stream: string;
  /** Every lost submission began before this time of {@link WallClock}. */
  readonly #begunMs: number;
  /** Contracts of Tenure's parties in the transactions that were read. */
  readonly #created = new Set<ContractId>();
  #isHeld = false;
  #turn = 0;
  /** The record time for which held requests wait. */
  #awaited: string | null = null;

  constructor(deps: LostWatchDeps, participant: ParticipantName) {
    this.#deps = deps;
    this.#participant = participant;
    this.#stream = completionsStream(participant);
    this.#begunMs = deps.wallClock.nowMs();
  }

  /** Checks periodically until the signal fires. @throws LeaseLostError */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(PROJECTOR_LIMITS.proofLookMs, signal);
      if (signal.aborted) return;
      try {
        await this.look({ signal, deadlineMs: LIMITS.ledgerCallMs });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        const detail = { participant: this.#participant, error: String(error) };
        const level = this.#isHeld ? 'warn' : 'debug';
        this.#deps.log[level](
          detail,
          'requests may wait, because it is unknown whether lost submissions can still take effect',
        );
      }
    }
  }

  /**
   * Returns the record time for which requests wait, with a party through which time can be advanced; `null` if none
   * waits.
   */
  async awaited(io: Io): Promise<AwaitedProof | null> {
    const proofAt = this.#awaited;
    if (proofAt === null) return null;
    const participant = this.#participant;
    const { streams } = this.#deps;
    const { ledgerUser, actAs: parties } = await streams.rightsOn(participant, io);
    const [provider] = streams.readAs;
    // Takes the parties in turn, because parties may be hosted on different synchronizers.
    this.#turn += 1;
    const actAs = parties[this.#turn % parties.length];
    if (provider === undefined || actAs === undefined) return null;
    const submitter = { participant, ledgerUser, actAs };
    return { proofAt, submitter, provider, ignoresCircuit: true };
  }

  /** Makes one check. @throws LeaseLostError */
  async look(io: Io): Promise<void> {
    const [replays, provenAt] = await this.#deps.store.transact(io, (tx) =>
      Promise.all([tx.replays(), tx.provenTime(this.#participant)]),
    );
    const replay = replays.get(this.#stream);
    if (replay?.isChecked !== true || replay.lostUntil === null) return;
    const before = { lostUntil: replay.lostUntil, heldFrom: replay.heldFrom };
    this.#isHeld = before.heldFrom !== null;
    // Read after the proven time, so that everything that took effect up to that time is before this ledger end.
    const heldFrom = await this.#readOn(before.heldFrom, io);
    const contact = before.lostUntil === NOT_YET_KNOWN ? await this.#hear(io) : null;
    const lostUntil = contact?.overAt ?? before.lostUntil;
    const isBelieved = this.#deps.clocks.apartMs(this.#participant) === null;
    const isOver = isBelieved && isProven(lostUntil, provenAt);
    const now = isOver ? { lostUntil: null, heldFrom: null } : { lostUntil, heldFrom };
    if (now.lostUntil !== before.lostUntil || now.heldFrom !== before.heldFrom)
      await this.#save(before, now, contact?.synchronizers ?? [], io);
    this.#awaited = now.heldFrom === null || lostUntil === NOT_YET_KNOWN ? null : lostUntil;
    if (isOver && before.heldFrom !== null)
      this.#deps.log.info(
        { participant: this.#participant },
        'no lost submission can take effect any more: requests continue',
      );
  }

  /**
   * Stores the command IDs of lost operations that have taken effect, before the participant prunes them.
   *
   * @returns the offset after which effects must still be read
   */
  async #readOn(heldFrom: bigint | null, io: Io): Promise<bigint | null> {
    if (heldFrom === null) return heldFrom;
    const participant = this.#participant;
    const upTo = await this.#deps.gateway.ledgerEnd(participant, io);
    if (upTo <= heldFrom) return heldFrom;
    await buryLostOf(this.#deps, participant, { after: heldFrom, upTo }, io, this.#created);
    return upTo;
  }

  /**
   * Calls the participant once every lost submission must have been sent; returns `null` before that time, or if the
   * participant does not answer.
   */
  async #hear(io: Io): Promise<Contact | null> {
    const { hear, wallClock, bounds } = this.#deps;
    const sentMs = wallClock.nowMs() - bounds.clockDifferenceMs;
    return sentMs < this.#begunMs + SENT_WITHIN_MS ? null : hear(this.#participant, io);
  }

  async #save(before: Lost, now: Lost, synchronizers: readonly string[], io: Io): Promise<void> {
    const { store, leaseEpoch } = this.#deps;
    await store.transact(io, async (tx) => {
      if (!(await tx.boundLost(this.#stream, before, now, leaseEpoch))) throw new LeaseLostError();
      await tx.knowSynchronizers(this.#participant, synchronizers);
    });
  }
}

/** Watches every participant until the signal fires; `done` rejects with a LeaseLostError. */
export function watchLost(deps: LostWatchDeps, signal: AbortSignal) {
  const watches = new Map(
    deps.streams.participants.map((name) => [name, new LostWatch(deps, name)]),
  );
  return {
    done: Promise.all([...watches.values()].map((each) => each.run(signal))).then(() => undefined),
    /** See {@link LostWatch.awaited}. Also returns `null` if the rights cannot be read. */
    awaited: async (participant: ParticipantName, io: Io): Promise<AwaitedProof | null> =>
      (await watches
        .get(participant)
        ?.awaited(io)
        .catch(() => null)) ?? null,
  };
}
