import type { Change, Wait, WaitingFor } from '../../../domain/change.ts';
import { isoToMs } from '../../../domain/time.ts';
import { PROJECTOR_LEASE } from '../../ports/leases.ts';
import type { Io } from '../../ports/io.ts';
import type { Reads } from '../../ports/reads.ts';

/*
 * The cause of delayed ledger answers is stored once, not with each operation that waits. So it is added when an
 * operation is read.
 */

const laterOf = (a: string, b: string): string => (isoToMs(a) > isoToMs(b) ? a : b);

/** Replaces a wait by one for the projector's lease while no process follows the ledger. */
async function orLease(reads: Pick<Reads, 'leaseOf'>, waiting: WaitingFor, io: Io) {
  const lease = await reads.leaseOf(PROJECTOR_LEASE, io);
  if (lease?.isHeld === true) return waiting;
  return {
    kind: 'lease' as const,
    detail: `no projector process reads the ledger; then: ${waiting.detail}`,
    since: laterOf(lease?.expiresAt ?? waiting.since, waiting.since),
  };
}

/** Reasons to wait for the next submission, which is not made while requests are held. */
const OF_HELD: ReadonlySet<Wait> = new Set<Wait>(['queue', 'backoff']);

/**
 * Replaces a wait for the ledger or the query store by the cause of the delay, if that cause is known. While requests
 * are held, changes that wait for their next submission have the same cause.
 */
export async function orStandstill(
  reads: Pick<Reads, 'leaseOf' | 'standstillOf'>,
  { submitter: { participant } }: Change,
  waiting: WaitingFor,
  io: Io,
): Promise<WaitingFor> {
  const isToSubmit = OF_HELD.has(waiting.kind);
  if (!isToSubmit && waiting.kind !== 'ledger' && waiting.kind !== 'projection') return waiting;
  const shown = isToSubmit ? waiting : await orLease(reads, waiting, io);
  if (shown.kind === 'lease') return shown;
  const standstill = await reads.standstillOf(participant, io);
  const isTold = standstill?.kind === 'replay' || shown.kind === 'ledger';
  if (standstill === null || !isTold) return shown;
  const { kind, since, detail } = standstill;
  return {
    ...shown,
    kind,
    detail: `${participant} since ${since}: ${detail}; ${shown.detail}`,
    since: laterOf(since, shown.since),
  };
}
