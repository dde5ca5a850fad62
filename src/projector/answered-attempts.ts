import { isUndecided } from '../app/engine/doubts/proof.ts';
import type { Io } from '../app/ports/io.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { Rebuilds } from '../app/ports/rebuilds.ts';
import type { Change } from '../domain/change.ts';
import type { ParticipantName, SubmissionId } from '../domain/ids.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

export interface AnsweredDeps {
  readonly rebuilds: Pick<Rebuilds, 'transact'>;
  readonly streams: Pick<LedgerStreams, 'completions'>;
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd'>;
}

/**
 * Finds undecided attempts of open changes whose answer is in completions after a pruned range. The completions are
 * read up to the current ledger end. If a participant's completions do not reach it in time, the participant's attempts
 * count as unanswered.
 */
export async function answeredAttempts(
  deps: AnsweredDeps,
  open: readonly Change[],
  lost: ReadonlyMap<ParticipantName, bigint>,
  io: Io,
): Promise<ReadonlySet<SubmissionId>> {
  const answered = new Set<SubmissionId>();
  for (const [participant, pruned] of lost) {
    const ofIt = open.filter(({ submitter }) => submitter.participant === participant);
    const awaited = await undecidedOf(deps, ofIt, io);
    if (awaited.size === 0) continue;
    const end = await deps.gateway.ledgerEnd(participant, io);
    const found = readAnswers(deps, participant, { after: pruned, upTo: end }, awaited, io);
    for await (const submissionId of found) answered.add(submissionId);
  }
  return answered;
}

function undecidedOf(
  { rebuilds }: AnsweredDeps,
  changes: readonly Change[],
  io: Io,
): Promise<Set<SubmissionId>> {
  return rebuilds.transact(io, async (tx) => {
    const awaited = new Set<SubmissionId>();
    for (const { id } of changes) {
      const attempts = await tx.attemptsOf(id);
      for (const { submissionId } of attempts.filter(isUndecided)) awaited.add(submissionId);
    }
    return awaited;
  });
}

async function* readAnswers(
  { streams }: AnsweredDeps,
  participant: ParticipantName,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  awaited: Set<SubmissionId>,
  io: Io,
): AsyncGenerator<SubmissionId, void, undefined> {
  if (after >= upTo) return;
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(PROJECTOR_LIMITS.checkpointMs)]);
  for await (const element of streams.completions(participant, after, signal)) {
    if (element.kind === 'completion' && awaited.has(element.submissionId)) {
      const isCertain = element.updateId !== null || element.answer?.definite === true;
      if (isCertain && awaited.delete(element.submissionId)) yield element.submissionId;
    }
    if (element.offset >= upTo || awaited.size === 0) return;
  }
  io.signal.throwIfAborted();
}
