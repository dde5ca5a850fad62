import { completionsStream } from '../../app/ports/streams.ts';
import type { ClocksApart, SynchronizerStanding } from '../../app/ports/proofs.ts';
import type { Tx } from '../../app/ports/transaction.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ParticipantName, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { BEGIN_OF_TIME } from '../../domain/ledger.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/*
 * Finds the attempts that wait for a record time of the ledger, and the record time that is proven; see
 * `src/app/ports/proofs.ts`.
 */

const SYNCHRONIZERS_OF = statement<{
  synchronizer: string;
  told_at: string;
  passed_at: string;
  is_given_up: boolean;
}>(
  'synchronizers-of',
  'select synchronizer, told_at, passed_at, is_given_up from synchronizers_of($1) order by synchronizer collate "C"',
);

export async function findSynchronizersOf(
  session: Session,
  participant: ParticipantName,
): Promise<SynchronizerStanding[]> {
  const rows = await session.run(SYNCHRONIZERS_OF, [participant]);
  return rows.map(({ synchronizer, told_at: toldAt, passed_at: passedAt, ...row }) => ({
    synchronizer,
    toldAt,
    passedAt,
    isGivenUp: row.is_given_up,
  }));
}

/** Starts from attempts: undecided attempts that have a bound are few, however many changes wait. */
const AWAITED_PROOFS = statement<
  Pick<Row<'change'>, 'ledger_user' | 'act_as' | 'provider'> & { readonly proof_at: string }
>(
  'awaited-proofs',
  `select distinct on (c.ledger_user collate "C", c.act_as collate "C") a.over_at as proof_at, c.ledger_user, c.act_as, c.provider
   from attempt a join change c on c.id = a.change_id
   where a.participant = $1 and coalesce(a.verdict, 'unknown') = 'unknown' and a.over_at is not null
     and a.over_at > coalesce(proven_time($1), '-infinity') and a.over_at < $2
     and c.finished_at is null and c.accepted_update_id is null
   order by c.ledger_user collate "C", c.act_as collate "C", a.over_at, c.provider collate "C"`,
);

export async function findAwaitedProofs(
  session: Session,
  participant: ParticipantName,
): ReturnType<Tx['awaitedProofs']> {
  const rows = await session.run(AWAITED_PROOFS, [participant, NOT_YET_KNOWN]);
  return rows.map(({ proof_at: proofAt, ledger_user: ledgerUser, act_as: actAs, provider }) => ({
    proofAt,
    submitter: { participant, ledgerUser, actAs: trusted<Party>(actAs) },
    provider: trusted<Party>(provider),
  }));
}

/** Adds synchronizers; the times of those that are already known stay. */
const KNOW_SYNCHRONIZERS = statement<never>(
  'know-synchronizers',
  `update query_store_offset o
   set synchronizer_times = (
         select jsonb_object_agg(s, '${BEGIN_OF_TIME}') from unnest($2::text[]) s) || o.synchronizer_times,
       given_up = o.given_up - $2::text[]
   where o.stream = $1 and (not o.synchronizer_times ?& $2::text[] or o.given_up ?| $2::text[])`,
);

export function sendSynchronizers(
  session: Session,
  participant: ParticipantName,
  synchronizers: readonly string[],
): void {
  if (synchronizers.length === 0) return;
  session.send(KNOW_SYNCHRONIZERS, [completionsStream(participant), synchronizers]);
}

const GIVE_UP = statement<never>(
  'give-up-synchronizer',
  `update query_store_offset set given_up = given_up || jsonb_build_object($2::text, $3::text) where stream = $1`,
);

export function sendGivenUp(
  session: Session,
  participant: ParticipantName,
  synchronizer: string,
  toldAt: string,
): void {
  session.send(GIVE_UP, [completionsStream(participant), synchronizer, toldAt]);
}

const SET_CLOCKS_APART = statement<never>(
  'set-clocks-apart',
  `update query_store_offset
   set clocks_apart = $2::jsonb,
       clock_apart_ms = (select max(ms::bigint) from jsonb_each_text($2::jsonb) as t(synchronizer, ms))
   where stream = $1`,
);

export function sendClocksApart(
  session: Session,
  participant: ParticipantName,
  apart: ClocksApart,
): void {
  const values = JSON.stringify(Object.fromEntries(apart));
  session.send(SET_CLOCKS_APART, [completionsStream(participant), values]);
}

const CLOCKS_APART = statement<{ synchronizer: string; ms: bigint }>(
  'clocks-apart',
  `select t.synchronizer, t.ms::bigint as ms
   from query_store_offset o cross join lateral jsonb_each_text(o.clocks_apart) as t(synchronizer, ms)
   where o.stream = $1 order by 1`,
);

export async function findClocksApart(
  session: Session,
  participant: ParticipantName,
): Promise<ClocksApart> {
  const rows = await session.run(CLOCKS_APART, [completionsStream(participant)]);
  return new Map(rows.map(({ synchronizer, ms }) => [synchronizer, Number(ms)]));
}
