import type { Io, Log } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { AwaitedProof } from '../app/ports/proofs.ts';
import { isProven } from '../app/engine/doubts/proof.ts';
import type { ContinueLanesDeps } from '../app/engine/lanes/lane.ts';
import { continueLane, findInterrupted } from '../app/engine/lanes/lane.ts';
import type { SettleEndedDeps } from '../app/engine/outcomes/settle-ended.ts';
import { earlier, settleEnded } from '../app/engine/outcomes/settle-ended.ts';
import { NOT_YET_KNOWN } from '../domain/change.ts';
import type { ChangeId, ParticipantName } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

/* Work that remains after operations have ended. At each check, the projector does a limited part of this work. */

/**
 * Goes through operations that ended without an effect, one part at each check, so that each of their attempts gets a
 * verdict.
 */
export class EndedWatch {
  readonly #deps: SettleEndedDeps;
  readonly #participant: ParticipantName;
  #after: ChangeId | null = null;
  #restUntilMs = 0;
  /**
   * `#left`: the earliest proof that was missing after the last complete pass. `#found`: the earliest one in the
   * current pass.
   */
  #left: AwaitedProof | null = null;
  #found: AwaitedProof | null = null;

  constructor(deps: SettleEndedDeps, participant: ParticipantName) {
    this.#deps = deps;
    this.#participant = participant;
  }

  /**
   * Makes one check, unless there is nothing to check.
   *
   * @param provenAt the record time up to which everything has been reported
   * @returns the earliest record time that must still be proven, if one is known
   */
  async look(provenAt: string | null, io: Io): Promise<AwaitedProof | null> {
    const isOver = this.#left !== null && isProven(this.#left.proofAt, provenAt);
    if (isOver || this.#deps.wallClock.nowMs() >= this.#restUntilMs) await this.#walk(io);
    return this.#left?.proofAt === NOT_YET_KNOWN ? null : this.#left;
  }

  async #walk(io: Io): Promise<void> {
    const { after, left } = await settleEnded(this.#deps, this.#participant, this.#after, io);
    this.#after = after;
    this.#found = earlier(this.#found, left);
    if (after !== null) return;
    this.#left = this.#found;
    this.#found = null;
    const restMs =
      this.#left === null ? PROJECTOR_LIMITS.endedLookMs : PROJECTOR_LIMITS.endedAgainMs;
    this.#restUntilMs = this.#deps.wallClock.nowMs() + restMs;
  }
}

export interface LaneWatchDeps extends ContinueLanesDeps {
  readonly log: Log;
}

/**
 * Continues lanes that a transaction has left without a head, in bounded transactions, until the signal fires. A lane
 * that cannot be continued does not delay other lanes, and is tried again.
 */
export async function watchLanes(deps: LaneWatchDeps, signal: AbortSignal): Promise<void> {
  const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
  const orNull = async <T>(work: () => Promise<T>, fields: object): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ ...fields, error: String(error) }, 'lanes wait');
      return null;
    }
  };
  while (!signal.aborted) {
    const lanes = (await orNull(() => findInterrupted(deps, io), {})) ?? [];
    let continued = 0;
    for (const lane of lanes) {
      if (signal.aborted) return;
      const work = () => continueLane(deps, lane, io).then(() => 1);
      continued += (await orNull(work, { lane: lane.lane })) ?? 0;
    }
    if (continued === 0) await sleep(PROJECTOR_LIMITS.lookMs, signal);
  }
}
