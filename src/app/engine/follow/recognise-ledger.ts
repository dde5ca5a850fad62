import { worstOf } from '../../../domain/participant-health.ts';
import type { ParticipantName } from '../../../domain/ids.ts';
import type { Io } from '../../ports/io.ts';
import type { LedgerGateway } from '../../ports/ledger.ts';
import type { Store } from '../../ports/transaction.ts';
import type { Landmark } from '../../ports/writes.ts';
import { UPDATES_STREAM, completionsStream } from '../../ports/streams.ts';

/** The position of a participant's stream, and the landmark by which the participant's ledger is recognised. */
export interface Followed {
  readonly stream: string;
  readonly at: bigint;
  readonly landmark: Landmark | null;
}

/**
 * Whether a participant's history is the one that was followed.
 *
 * - `same`: the update at the landmark is the one that the store knows.
 * - `unproven`: nothing contradicts it, but there is no landmark, or the update at the landmark cannot be read, for
 *   example because it was pruned (`cause`).
 * - `foreign`: the history ends before the store's position, or has another update at the landmark. The participant was
 *   restored from a backup, reset, or replaced by another one with the same address.
 */
export type Recognition =
  | { readonly kind: 'same' }
  | { readonly kind: 'unproven'; readonly cause: unknown }
  | { readonly kind: 'foreign'; readonly reason: string };

/** The store's knowledge of a participant's ledger. */
export interface KnownLedger {
  readonly followed: readonly Followed[];
  /** How the following process found out that the participant has another history; `null` if it has not. */
  readonly foreign: string | null;
}

/** @param projected the participant whose updates are projected */
export async function knownLedger(
  store: Store,
  participant: ParticipantName,
  projected: ParticipantName,
  io: Io,
): Promise<KnownLedger> {
  const streams = [
    ...(participant === projected ? [UPDATES_STREAM] : []),
    completionsStream(participant),
  ];
  const [cursors, landmarks, causes] = await store.transact(io, (tx) =>
    Promise.all([tx.cursors(), tx.landmarks(), tx.participantCauses()]),
  );
  const followed = streams.flatMap((stream): Followed[] => {
    const at = cursors.get(stream);
    return at === undefined ? [] : [{ stream, at, landmark: landmarks.get(stream) ?? null }];
  });
  const worst = worstOf(causes, participant);
  return { followed, foreign: worst?.kind === 'foreign' ? worst.detail : null };
}

const RESET =
  'Restore the ledger that Tenure followed, reset the local data with `make clean-docker`, or point DATABASE_URL to another database.';

/** @throws the error because of which the participant did not report its ledger end */
export async function recognise(
  gateway: Pick<LedgerGateway, 'ledgerEnd' | 'updateAt'>,
  participant: ParticipantName,
  { stream, at, landmark }: Followed,
  io: Io,
): Promise<Recognition> {
  const end = await gateway.ledgerEnd(participant, io);
  if (at > end) {
    const reason =
      `the query store has followed ${stream} to offset ${at}, but participant ${participant} ends at ${end}: ` +
      `the participant has another ledger, or its ledger was reset or restored from a backup. ${RESET}`;
    return { kind: 'foreign', reason };
  }
  if (landmark === null) return { kind: 'unproven', cause: null };
  let there;
  try {
    there = await gateway.updateAt(participant, landmark.offset, io);
  } catch (cause) {
    return { kind: 'unproven', cause };
  }
  if (there?.updateId === landmark.updateId) return { kind: 'same' };
  const reason =
    `the query store knows update ${landmark.updateId} at offset ${landmark.offset} of participant ${participant}, ` +
    `which has ${there?.updateId ?? 'nothing'} there: the participant has another ledger. ${RESET}`;
  return { kind: 'foreign', reason };
}
