import type { Change } from '../../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../../domain/change.ts';
import type { ChangeId, ParticipantName } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isoToMs } from '../../../domain/time.ts';
import type { HearDeps } from './hear-participant.ts';
import { pin } from './hear-participant.ts';
import { proveNoEffect, settleEffect } from './no-effect.ts';
import { carriedEffect } from './own-effect.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { WallClock } from '../../ports/clocks.ts';
import type { Io } from '../../ports/io.ts';
import type { Tx } from '../../ports/transaction.ts';
import type { AwaitedProof, EndedChange } from '../../ports/proofs.ts';
import type { Contact } from '../doubts/proof.ts';
import { isUndecided, proofOf, stillOpen } from '../doubts/proof.ts';
import { WorkingSet } from '../lanes/working-set.ts';

export interface SettleEndedDeps extends HearDeps {
  readonly wallClock: WallClock;
}

/** The position of the walk over changes that ended without an effect, after one part. */
export interface EndedWalk {
  /** The change after which the next part begins; `null` at the end. */
  readonly after: ChangeId | null;
  /** The earliest proof for which changes without all verdicts wait; `null` if there is no such change. */
  readonly left: AwaitedProof | null;
}

/** Returns the proof with the earlier time. */
export const earlier = (a: AwaitedProof | null, b: AwaitedProof | null): AwaitedProof | null => {
  if (a === null || b === null) return a ?? b;
  return isoToMs(b.proofAt) < isoToMs(a.proofAt) ? b : a;
};

/** Records verdicts for the change's attempts only: the change keeps the outcome that was reported to callers. */
async function settle(ws: WorkingSet, tx: Tx, change: Change, now: string): Promise<void> {
  if ((await proveNoEffect(ws, tx, change, { now })) === null) return;
  const attempts = await ws.attemptsOf(tx, change.id);
  if ((await stillOpen(tx, change, attempts)) !== null) return;
  const applied = await carriedEffect(ws, tx, change);
  if (applied !== null) settleEffect(ws, attempts, applied, { now });
}

async function awaitedBy(ws: WorkingSet, tx: Tx, change: Change): Promise<AwaitedProof | null> {
  const attempts = await ws.attemptsOf(tx, change.id);
  if ((await stillOpen(tx, change, attempts)) === null) return null;
  const { submitter, provider } = change;
  return { proofAt: proofOf(attempts) ?? NOT_YET_KNOWN, submitter, provider };
}

/** @param contact shows how long earlier submissions may take effect; `null` if the participant was unreachable */
async function settleAll(
  tx: Tx,
  model: ContractModel,
  participant: ParticipantName,
  ended: readonly EndedChange[],
  contact: Contact | null,
  now: string,
): Promise<AwaitedProof | null> {
  const ws = new WorkingSet(model);
  ws.add(await tx.lock([...new Set(ended.map(({ lane }) => lane))].sort()));
  if (contact !== null) await tx.knowSynchronizers(participant, contact.synchronizers);
  let left: AwaitedProof | null = null;
  for (const { id } of ended) {
    const change = await ws.findChange(tx, id);
    if (change === null || !(await ws.attemptsOf(tx, id)).some(isUndecided)) continue;
    if (contact !== null) await pin(ws, tx, change, contact);
    await settle(ws, tx, change, now);
    left = earlier(left, await awaitedBy(ws, tx, change));
  }
  await tx.save(ws.writes());
  return left;
}

/**
 * Records verdicts for attempts that had no answer when their change ended without an effect. Now a change ends only
 * when all its attempts have verdicts; older versions left some open, and such changes could be neither retried nor
 * pruned.
 *
 * @param after where the previous part ended; `null` at the beginning
 */
export async function settleEnded(
  deps: SettleEndedDeps,
  participant: ParticipantName,
  after: ChangeId | null,
  io: Io,
): Promise<EndedWalk> {
  const walked = await deps.store.transact(io, (tx) =>
    tx.endedWithoutEffect(participant, after, LIMITS.endedWalkMax),
  );
  const next = walked.length < LIMITS.endedWalkMax ? null : (walked.at(-1)?.id ?? null);
  const undecided = walked.filter(({ isUndecided: isOpen }) => isOpen);
  if (undecided.length === 0) return { after: next, left: null };
  const contact = await deps.hear(participant, io);
  const now = new Date(deps.wallClock.nowMs()).toISOString();
  let left: AwaitedProof | null = null;
  for (let from = 0; from < undecided.length; from += LIMITS.proofBatchMax) {
    const batch = undecided.slice(from, from + LIMITS.proofBatchMax);
    const found = await deps.store.transact(io, (tx) =>
      settleAll(tx, deps.model, participant, batch, contact, now),
    );
    left = earlier(left, found);
  }
  return { after: next, left };
}
