import type { Change } from '../../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../../domain/change.ts';
import type { ChangeId, LaneId, ParticipantName } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { Io } from '../../ports/io.ts';
import type { Store, Tx } from '../../ports/transaction.ts';
import type { Contact, Hear } from '../doubts/proof.ts';
import { isHeard, isUndecided, proofOf } from '../doubts/proof.ts';
import { WorkingSet } from '../lanes/working-set.ts';

export interface HearDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly hear: Hear;
}

/** Records the time from which on attempts that were read before the contact cannot take effect. */
export async function pin(ws: WorkingSet, tx: Tx, change: Change, contact: Contact): Promise<void> {
  const attempts = await ws.attemptsOf(tx, change.id);
  const read = attempts.filter(
    (attempt) => isUndecided(attempt) && attempt.overAt === null && isHeard(attempt, contact),
  );
  for (const { submissionId } of read) ws.pin(submissionId, contact.overAt);
  if (change.proofAt !== NOT_YET_KNOWN) return;
  const proofAt = proofOf(await ws.attemptsOf(tx, change.id)) ?? contact.overAt;
  const waitingFor =
    change.waitingFor === null || proofAt === NOT_YET_KNOWN
      ? change.waitingFor
      : { ...change.waitingFor, until: proofAt };
  ws.putChange({ ...change, proofAt, waitingFor });
}

async function pinLanes(
  deps: HearDeps,
  participant: ParticipantName,
  lanes: readonly LaneId[],
  contact: Contact,
  io: Io,
): Promise<void> {
  await deps.store.transact(io, async (tx) => {
    const ws = new WorkingSet(deps.model);
    ws.add(await tx.lock([...lanes].sort()));
    await tx.knowSynchronizers(participant, contact.synchronizers);
    for (const head of ws.heads()) {
      if (head.submitter.participant === participant) await pin(ws, tx, head, contact);
    }
    await tx.save(ws.writes());
  });
}

/**
 * Calls a participant that has unanswered attempts whose deadline has passed, if there are any. If the participant
 * answers, it has read everything that was sent before the call, so the time until which those attempts may take effect
 * is known.
 *
 * @param before only attempts begun before this time count; ISO 8601
 * @returns whether the participant answered; `null` if there was no such attempt
 */
export async function hearParticipant(
  deps: HearDeps,
  participant: ParticipantName,
  before: string,
  io: Io,
): Promise<boolean | null> {
  const lanes = await deps.store.transact(io, (tx) =>
    tx.lanesUnheard(participant, before, LIMITS.proofBatchMax),
  );
  if (lanes.length === 0) return null;
  const contact = await deps.hear(participant, io);
  if (contact === null) return false;
  await pinLanes(deps, participant, lanes, contact, io);
  return true;
}

/**
 * Like `hearParticipant`, but for the attempts of one change, even an ended one, before a person acts on it. Records
 * nothing if the participant is unreachable.
 */
export async function hearAbout(deps: HearDeps, changeId: ChangeId, io: Io): Promise<void> {
  const asked = await deps.store.transact(io, async (tx) => {
    const change = await tx.change(changeId);
    const attempts = change === null ? [] : await tx.attemptsOf(changeId);
    const isUnheard = attempts.some((one) => isUndecided(one) && one.overAt === null);
    return isUnheard ? change : null;
  });
  if (asked === null) return;
  const { participant } = asked.submitter;
  const contact = await deps.hear(participant, io);
  if (contact === null) return;
  await deps.store.transact(io, async (tx) => {
    const ws = new WorkingSet(deps.model);
    ws.add(await tx.lock([asked.lane]));
    const change = await ws.findChange(tx, changeId);
    if (change === null) return;
    await tx.knowSynchronizers(participant, contact.synchronizers);
    await pin(ws, tx, change, contact);
    await tx.save(ws.writes());
  });
}
