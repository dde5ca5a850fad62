import type { Change, Wait, WaitingFor } from '../../domain/change.ts';
import { isoToMs } from '../../domain/time.ts';
import { PROJECTOR_LEASE } from '../ports/leases.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';

/* What keeps the ledger's answers away is recorded once for all operations that wait for them. */

const laterOf = (a: string, b: string): string => (isoToMs(a) > isoToMs(b) ? a : b);

/** What the ledger says reaches nobody while no process follows it. */
async function orLease(reads: Pick<Reads, 'leaseOf'>, waiting: WaitingFor, io: Io) {
  const lease = await reads.leaseOf(PROJECTOR_LEASE, io);
  if (lease?.isHeld === true) return waiting;
  return {
    kind: 'lease' as const,
    detail: `no process follows the ledger; after that: ${waiting.detail}`,
    since: laterOf(lease?.expiresAt ?? waiting.since, waiting.since),
  };
}

/** What is submitted again only when requests go on. */
const OF_HELD: ReadonlySet<Wait> = new Set<Wait>(['queue', 'backoff']);

/**
 * What waits for the ledger, or for the query store, waits for what keeps that from telling anything, if that is known.
 * While requests are held, what is to be submitted waits for the same.
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
