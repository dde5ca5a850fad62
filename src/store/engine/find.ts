import type { Attempt, Change, Operation } from '../../domain/change.ts';
import type {
  ChangeId,
  ContractId,
  LaneId,
  LifecycleId,
  ParticipantName,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import { isContractId, trusted } from '../../domain/ids.ts';
import { inRetryOrder, retryCommandIds } from '../../domain/retries.ts';
import { BEGIN_OF_TIME } from '../../domain/ledger.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import type { Tx } from '../../app/ports/transaction.ts';
import type {
  CommandKey,
  InterruptedLane,
  LineageEntry,
  SubmissionRef,
} from '../../app/ports/writes.ts';
import { UPDATES_STREAM, completionsStream, participantOf } from '../../app/ports/streams.ts';
import type { Creation, EndedChange } from '../../app/ports/proofs.ts';
import type { AttemptColumns } from '../rows/attempt-row.ts';
import { attemptFromRow } from '../rows/attempt-row.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';

/* Look-ups by key, inside or outside a transaction. They do not lock rows. */

const change = columnsOf('c', CHANGE_COLUMNS);
const lifecycle = columnsOf('l', LIFECYCLE_COLUMNS);

const CHANGE_BY_ID = statement<ChangeRow>(
  'change-by-id',
  `select ${change} from change c where c.id = $1`,
);

const CHANGES_BY_ID = statement<ChangeRow>(
  'changes-by-id',
  `select ${change} from change c where c.id = any($1)`,
);

const CHANGES_BY_COMMAND_IDS = statement<ChangeRow>(
  'changes-by-command-ids',
  `select ${change} from change c where c.command_id = any($1)`,
);

const CHANGES_BY_COMMANDS = statement<ChangeRow>(
  'changes-by-commands',
  `select ${change} from change c where c.command_id = any($1) and c.act_as = any($2) and c.duplicate_no = 0`,
);

const QUEUED = statement<ChangeRow>(
  'queued',
  `select ${change} from change c
   where c.lane = $1 and c.state = 'queued' and c.mailbox_no > $2 order by c.mailbox_no limit $3`,
);

const INTERRUPTED = statement<{ lane: string; after_no: number }>(
  'interrupted-lanes',
  'select lane, after_no from interrupted_lane order by turn_at, lane limit $1',
);

/** Uses two indexes: one contains the heads of lanes, the other one the changes behind them. */
const OPEN_IN = statement<ChangeRow>(
  'open-in-lane',
  `(select ${change} from change c
    where c.lane = $1 and c.state in ('submitting', 'retrying', 'in-doubt') and c.lifecycle_id = $2 and c.operation = any($3))
   union all
   (select ${change} from change c
    where c.lane = $1 and c.state = 'queued' and c.lifecycle_id = $2 and c.operation = any($3)
    order by c.mailbox_no limit 1)
   limit 1`,
);

const ATTEMPTS = statement<AttemptColumns>(
  'attempts',
  `select change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at,
          answered_at, verdict, ledger_code, explanation, answer_offset, cost, over_at, proven_at, unsent,
          unsent_tries, unsent_since
   from attempt a
   where a.change_id = $1
     and (a.verdict is distinct from 'refused'
          or a.n > (select max(m.n) from attempt m where m.change_id = $1) - $2)
   order by n`,
);

const LIFECYCLES_BY_IDS = statement<LifecycleRow>(
  'lifecycles-by-ids',
  `select ${lifecycle} from lifecycle l where l.id = any($1)`,
);

const LIFECYCLES_BY_CONTRACTS = statement<LifecycleRow & { readonly asked: string }>(
  'lifecycles-by-contracts',
  `select ${lifecycle}, a.contract_id as asked
   from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = any($1)`,
);

export const lineageOf = (contracts: string): string =>
  `select a.contract_id, a.lifecycle_id, l.lane
   from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = any(${contracts})`;

const LINEAGE = statement<{ contract_id: string; lifecycle_id: string; lane: string }>(
  'lineage',
  lineageOf('$1'),
);

export const submissionsOf = (ids: string): string =>
  `select a.submission_id, a.change_id, c.lane, a.at
   from attempt a join change c on c.id = a.change_id where a.submission_id = any(${ids})`;

const SUBMISSIONS = statement<{
  submission_id: string;
  change_id: string;
  lane: string;
  at: string;
}>('submissions', submissionsOf('$1'));

/** `lane` is null if the store does not have the change. */
export const waitingForUpdates = ({
  updates,
  carried,
}: Record<'updates' | 'carried', string>): string =>
  `select c.id, c.lane from change c
   where c.accepted_update_id = any(${updates}) and c.finished_at is null
   union
   select w.id, c.lane from unnest(${carried}::uuid[]) w(id)
     left join (select o.id, o.lane, o.finished_at from change o where o.id = any(${carried})) c on c.id = w.id
   where c.id is null or c.finished_at is null`;

const WAITING_FOR_UPDATES = statement<{ id: string; lane: string | null }>(
  'waiting-for-updates',
  waitingForUpdates({ updates: '$1', carried: '$2' }),
);

/**
 * Reads the value from the first line of the lifecycle's history. A rebuild of the projection may have written another
 * value later.
 */
const BEGUN_THROUGH = statement<{ through: string | null }>(
  'begun-through',
  `select max(h.detail ->> 'through') as through from history h
   where h.lifecycle_id = $1 and h.seq = 1 and h.kind = 'ledger.created'`,
);

const ALIKE = statement<{ id: string }>(
  'alike',
  `select l.id from lifecycle l
   where l.kind = $1 and l.provider = $2 and l.app_user = $3 and l.list_no = $4 and l.ended_at is null
   order by l.id limit ${STORE_LIMITS.alikeMax}`,
);

/**
 * Finds lanes with changes whose wait for a verdict has ended. There are three kinds of waits: until everything up to
 * an offset is known; until everything up to a record time is known as well (the beginning of time needs no proof, and
 * stands for changes with nothing left to prove); and until the projection passes the offset of an accepted update that
 * it may never see. The positions of the projection are compared with the offsets of changes of all participants,
 * although the projection follows only one. The caller judges whether these positions say anything about a change,
 * which is cheap because few changes wait.
 *
 * Reads a bounded number of the waiting changes: from a random one on, and then again from the first one. So no change
 * is left out for ever, even if many others wait for something that never happens.
 */
export const lanesWaiting = ({
  completions,
  updates,
  most,
}: Record<'completions' | 'updates' | 'most', string>): string =>
  `with m as materialized (
     select r.participant, r."to", coalesce(proven_time(r.participant), '${BEGIN_OF_TIME}') as proven_at
     from json_to_recordset(${completions}::json) as r(participant text, "to" bigint)
   ), ends as materialized (
     select (select c.verify_at from change c where c.finished_at is null and c.verify_at is not null
             order by c.verify_at limit 1) as low,
            (select c.verify_at from change c where c.finished_at is null and c.verify_at is not null
             order by c.verify_at desc limit 1) as high
   ), start as materialized (
     select low + floor(random() * (high - low + 1))::bigint as at from ends
   ), looked as materialized (
     (select c.lane, c.participant, c.verify_at, c.proof_at from change c
      where c.finished_at is null and c.verify_at >= (select at from start) order by c.verify_at limit ${most})
     union all
     (select c.lane, c.participant, c.verify_at, c.proof_at from change c
      where c.finished_at is null and c.verify_at < (select at from start) order by c.verify_at limit ${most})
   )
   select l.lane from looked l
   where l.verify_at <= ${updates} and l.proof_at is null
      or exists (select from m
                 where m.participant = l.participant and l.verify_at <= m."to"
                   and (l.proof_at is null or l.proof_at <= m.proven_at))
   union
   (select c.lane from change c where c.accepted_offset <= ${updates} and c.finished_at is null
    order by c.accepted_offset limit ${most})`;

const LANES_WAITING = statement<{ lane: string }>(
  'lanes-waiting',
  lanesWaiting({ completions: '$1', updates: '$2', most: '$3' }),
);

const first = <T>(rows: readonly T[]): T | null => rows[0] ?? null;
const mapped = <T, U>(value: T | null, map: (value: T) => U): U | null =>
  value === null ? null : map(value);

const PROVEN_TIME = statement<{ at: string | null }>('proven-time', 'select proven_time($1) as at');

const TOLD_TIME = statement<{ at: string | null }>('told-time', 'select told_time($1) as at');

/** The creation of an archived contract is recorded too. */
const CREATION_OF = statement<{ at: string; synchronizer: string | null }>(
  'creation-of',
  `select coalesce(u.record_time, c.created_effective_at) as at, u.synchronizer_id as synchronizer
   from contract c left join ledger_update u on u."offset" = c.created_at_offset
   where c.contract_id = $1 limit 1`,
);

const LANES_UNHEARD = statement<{ lane: string }>(
  'lanes-unheard',
  `select c.lane from change c
   where c.participant = $1 and c.state in ('submitting', 'retrying', 'in-doubt') and c.accepted_update_id is null
     and exists (select from attempt a where a.change_id = c.id and a.over_at is null and a.at < $2
                   and coalesce(a.verdict, 'unknown') = 'unknown')
   limit $3`,
);

/** The index does not contain changes that succeeded, because none of them waits for a verdict. */
const ENDED_WITHOUT_EFFECT = statement<{ id: string; lane: string; is_undecided: boolean }>(
  'ended-without-effect',
  `with walked as materialized (
     select c.id, c.lane from change c
     where c.participant = $1 and c.id > $2 and c.finished_at is not null and c.state <> 'succeeded' and c.pruned_at is null
     order by c.id limit $3
   )
   select w.id, w.lane, exists (
     select from attempt a where a.change_id = w.id and coalesce(a.verdict, 'unknown') = 'unknown') as is_undecided
   from walked w order by w.id`,
);

/** Smaller than the ID of every change. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

const FOLLOWED_FROM = statement<{ oldest_offset: bigint }>(
  'followed-from',
  'select oldest_offset from query_store_offset where stream = $1',
);

export async function findProvenTime(
  session: Session,
  participant: ParticipantName,
): Promise<string | null> {
  return first(await session.run(PROVEN_TIME, [participant]))?.at ?? null;
}

export async function findToldTime(
  session: Session,
  participant: ParticipantName,
): Promise<string | null> {
  return first(await session.run(TOLD_TIME, [participant]))?.at ?? null;
}

export async function findCreationOf(
  session: Session,
  contract: ContractId,
): Promise<Creation | null> {
  return first(await session.run(CREATION_OF, [contract])) ?? null;
}

export async function findLanesUnheard(
  session: Session,
  ...asked: readonly [ParticipantName, string, number]
): Promise<LaneId[]> {
  return (await session.run(LANES_UNHEARD, [...asked])).map((row) => trusted<LaneId>(row.lane));
}

export async function findEndedWithoutEffect(
  session: Session,
  ...[participant, after, limit]: Parameters<Tx['endedWithoutEffect']>
): Promise<EndedChange[]> {
  const rows = await session.run(ENDED_WITHOUT_EFFECT, [participant, after ?? NO_ID, limit]);
  return rows.map(({ id, lane, is_undecided: isUndecided }) => ({
    id: trusted<ChangeId>(id),
    lane: trusted<LaneId>(lane),
    isUndecided,
  }));
}

export async function findFollowedFrom(
  session: Session,
  participant: ParticipantName,
): Promise<bigint | null> {
  return (
    first(await session.run(FOLLOWED_FROM, [completionsStream(participant)]))?.oldest_offset ?? null
  );
}

export async function findChange(session: Session, id: ChangeId): Promise<Change | null> {
  return mapped(first(await session.run(CHANGE_BY_ID, [id])), changeFromRow);
}

export async function findChanges(session: Session, ids: readonly ChangeId[]): Promise<Change[]> {
  return (await session.run(CHANGES_BY_ID, [ids])).map(changeFromRow);
}

/** Returns the retries of a change that people have requested, oldest first. */
export async function findRetries(session: Session, root: ChangeId): Promise<Change[]> {
  const rows = await session.run(CHANGES_BY_COMMAND_IDS, [retryCommandIds(root)]);
  return inRetryOrder(rows.map(changeFromRow));
}

/** Returns the change that is recorded under each key, in the order of the keys. */
export async function findChangesByCommands(
  session: Session,
  keys: readonly CommandKey[],
): Promise<(Change | null)[]> {
  const commandIds = keys.map(({ commandId }) => commandId);
  const parties = keys.map(({ actAs }) => actAs);
  const found = (await session.run(CHANGES_BY_COMMANDS, [commandIds, parties])).map(changeFromRow);
  const nameOf = (commandId: string, actAs: string): string => JSON.stringify([commandId, actAs]);
  const byKey = new Map(found.map((one) => [nameOf(one.commandId, one.submitter.actAs), one]));
  return keys.map(({ commandId, actAs }) => byKey.get(nameOf(commandId, actAs)) ?? null);
}

/** @param ids for each lifecycle, its ID or a contract ID that it ever had; the result has the same order */
export async function findLifecycles(
  session: Session,
  ids: readonly string[],
): Promise<(Lifecycle | null)[]> {
  const contracts = ids.filter(isContractId);
  const own = ids.filter((id) => !isContractId(id));
  const [ofContracts, ofOwn] = await Promise.all([
    contracts.length === 0 ? [] : session.run(LIFECYCLES_BY_CONTRACTS, [contracts]),
    own.length === 0 ? [] : session.run(LIFECYCLES_BY_IDS, [own]),
  ]);
  const found = new Map<string, Lifecycle>();
  for (const row of ofContracts) found.set(row.asked, lifecycleFromRow(row));
  for (const row of ofOwn) found.set(row.id, lifecycleFromRow(row));
  return ids.map((id) => found.get(id) ?? null);
}

/** See `Tx.begunThrough`. */
export async function findBegunThrough(
  session: Session,
  id: LifecycleId,
): Promise<LifecycleId | null> {
  const begun = first(await session.run(BEGUN_THROUGH, [id]));
  return begun?.through == null ? null : trusted<LifecycleId>(begun.through);
}

/** See `Tx.alike`. */
export async function findAlike(
  session: Session,
  kind: LifecycleKind,
  { provider, appUser, licenseNum }: Lifecycle,
): Promise<LifecycleId[]> {
  const rows = await session.run(ALIKE, [kind, provider, appUser, String(licenseNum ?? 0n)]);
  return rows.map(({ id }) => trusted<LifecycleId>(id));
}

export async function findQueued(
  session: Session,
  lane: LaneId,
  afterNo: number,
  limit: number,
): Promise<Change[]> {
  return (await session.run(QUEUED, [lane, afterNo, limit])).map(changeFromRow);
}

/** See `Tx.interruptedLanes`. */
export async function findInterruptedLanes(
  session: Session,
  limit: number,
): Promise<InterruptedLane[]> {
  return (await session.run(INTERRUPTED, [limit])).map(({ lane, after_no: afterNo }) => ({
    lane: trusted<LaneId>(lane),
    afterNo,
  }));
}

/** See `Tx.openIn`. */
export async function findOpenIn(
  session: Session,
  lane: LaneId,
  lifecycleId: LifecycleId,
  operations: readonly Operation[],
): Promise<Change | null> {
  return mapped(first(await session.run(OPEN_IN, [lane, lifecycleId, operations])), changeFromRow);
}

export async function findAttempts(session: Session, id: ChangeId): Promise<Attempt[]> {
  return (await session.run(ATTEMPTS, [id, STORE_LIMITS.attemptsShownMax])).map(attemptFromRow);
}

export async function findLineage(
  session: Session,
  contracts: readonly ContractId[],
): Promise<LineageEntry[]> {
  if (contracts.length === 0) return [];
  return (await session.run(LINEAGE, [contracts])).map((row) => ({
    contractId: trusted<ContractId>(row.contract_id),
    lifecycleId: trusted<LifecycleId>(row.lifecycle_id),
    lane: trusted<LaneId>(row.lane),
  }));
}

export async function findSubmissions(
  session: Session,
  submissions: readonly SubmissionId[],
): Promise<SubmissionRef[]> {
  if (submissions.length === 0) return [];
  return (await session.run(SUBMISSIONS, [submissions])).map((row) => ({
    submissionId: trusted<SubmissionId>(row.submission_id),
    changeId: trusted<ChangeId>(row.change_id),
    lane: trusted<LaneId>(row.lane),
    at: row.at,
  }));
}

/**
 * Finds open changes that wait for one of these updates, and changes that one of the updates names, if they are open or
 * missing in the store.
 */
export async function findWaitingForUpdates(
  session: Session,
  updates: readonly UpdateId[],
  carried: readonly ChangeId[],
): Promise<Pick<Awaited<ReturnType<Tx['lanesOf']>>, 'waiting' | 'unknown'>> {
  if (updates.length + carried.length === 0) return { waiting: [], unknown: [] };
  const rows = (await session.run(WAITING_FOR_UPDATES, [updates, carried])).map((row) => ({
    changeId: trusted<ChangeId>(row.id),
    lane: row.lane,
  }));
  return {
    waiting: rows.flatMap(({ changeId, lane }) =>
      lane === null ? [] : [{ changeId, lane: trusted<LaneId>(lane) }],
    ),
    unknown: rows.flatMap(({ changeId, lane }) => (lane === null ? [changeId] : [])),
  };
}

/** Returns the values for `lanesWaiting`. */
export function waitedFor(cursors: ReadonlyMap<string, bigint>): readonly unknown[] {
  const completions = [...cursors].flatMap(([stream, to]) => {
    const participant = participantOf(stream);
    return participant === null ? [] : [{ participant, to: String(to) }];
  });
  // No change waits for an offset before the beginning of the ledger, so -1 matches none.
  return [
    JSON.stringify(completions),
    cursors.get(UPDATES_STREAM) ?? -1n,
    STORE_LIMITS.lanesWaitingMax,
  ];
}

export async function findLanesWaitingFor(
  session: Session,
  cursors: ReadonlyMap<string, bigint>,
): Promise<LaneId[]> {
  const rows = await session.run(LANES_WAITING, waitedFor(cursors));
  return rows.map((row) => trusted<LaneId>(row.lane));
}
