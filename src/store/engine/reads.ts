import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { LeaseView, Reads } from '../../app/ports/reads.ts';
import type { LifecycleView } from '../../app/ports/views.ts';
import type { AuditEntry } from '../../app/ports/writes.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { Change } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
} from '../../domain/ids.ts';
import { isContractId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { HistoryEntry } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { createContractReads } from './contracts.ts';
import { findAttempts, findChanges, findProvenTime, findRetries } from './find.ts';
import { createLists } from './lists.ts';
import { findHeldBack, findPauseOf } from './pauses.ts';
import type { AuditRow } from '../rows/audit-row.ts';
import { auditFromRow } from '../rows/audit-row.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import { historyFromRow } from '../rows/history-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS } from '../rows/lifecycle-row.ts';
import { viewFromRow } from '../rows/view-row.ts';
import type { Row } from '../../../migrations/schema.ts';
import { readParticipantCauses } from './participant-causes.ts';
import { withSettlements } from './settlements.ts';
import type { Statement } from '../sql/statement.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { readLedgerTime } from './cursors.ts';
import { onConnection } from '../sql/transact.ts';

const lifecycle = columnsOf('l', LIFECYCLE_COLUMNS);
const change = columnsOf('c', CHANGE_COLUMNS);

/** SQL: the payload of a lifecycle's contract, as its template has it: a contract may also have interface views. */
const PAYLOAD = `(
  select k.payload from contract k join template t on t.template_fqn = k.template_fqn
  where k.contract_id = l.contract_id and t.payload_type = 'template'
)`;

type ViewRow = LifecycleRow & { readonly payload: JsonRecord | null };

const VIEW_BY_ID = statement<ViewRow>(
  'view-by-id',
  `select ${lifecycle}, ${PAYLOAD} as payload from lifecycle l where l.id = $1`,
);

const VIEW_BY_CONTRACT = statement<ViewRow>(
  'view-by-contract',
  `select ${lifecycle}, ${PAYLOAD} as payload
   from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = $1`,
);

const HISTORY = statement<Row<'history'>>(
  'history',
  `select lifecycle_id, seq, n, at, kind, state, by, command_id, ledger_offset, update_id, contract_id, detail
   from history where lifecycle_id = $1 and (seq, n) > ($2, $3) order by seq, n limit ${LIMITS.listChunk}`,
);

const CHANGES_BY_COMMAND = statement<ChangeRow>(
  'changes-by-command',
  `select ${change} from change c
   where c.command_id = $1 and c.caller_party = $2 order by c.duplicate_no, c.accepted_at desc, c.id`,
);

const IS_HEAD = `c.state in ('submitting', 'retrying', 'in-doubt')`;

const HEAD_OF = statement<ChangeRow>(
  'head-of',
  `select ${change} from change c where c.lane = $1 and ${IS_HEAD}`,
);

const PLACE = statement<{ place: bigint }>(
  'place',
  `select (select count(*) from change c where c.lane = $1 and ${IS_HEAD} and c.mailbox_no < $2)
        + (select count(*) from change c where c.lane = $1 and c.state = 'queued' and c.mailbox_no < $2) as place`,
);

const SINCE = `coalesce((c.waiting_for ->> 'since')::timestamptz, c.accepted_at)`;

/** Reads only the open changes that are heads of their lanes, which are few. */
const LONGEST_WAITING = statement<ChangeRow>(
  'longest-waiting',
  `select ${change} from change c
   where ${IS_HEAD} and (${SINCE} < $1 or c.accepted_at < $2)
     and (c.participant in (select f.participant from foreign_ledger f)
          or not exists (select from effect e where e.change_id = c.id and e.held_at is not null))
   order by ${SINCE}, c.id limit $3`,
);

const inDoubtWhere = (condition: string): string =>
  `select ${change} from change c
   where ${IS_HEAD} and c.state = 'in-doubt' and ${condition}
     and (c.accepted_at, c.id) > ($2::timestamptz, $3::uuid)
   order by c.accepted_at, c.id limit $1`;

const BEFORE_ALL = { acceptedAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

const IN_DOUBT: Readonly<Record<OpsScope['of'] | 'all', Statement<ChangeRow>>> = {
  all: statement<ChangeRow>('in-doubt-of-all', inDoubtWhere('true')),
  provider: statement<ChangeRow>('in-doubt-of-provider', inDoubtWhere('c.provider = $4')),
  caller: statement<ChangeRow>('in-doubt-of-caller', inDoubtWhere('c.caller_party = $4')),
};

const AUDIT = statement<AuditRow>(
  'audit',
  `select a.id, a.at, a.by_party, coalesce(p.subject, a.by_subject) as by_subject, a.act, a.change_id, a.subject,
     a.from_state, a.to_state, a.reason, a.detail
   from audit a left join person p on p.pseudonym = a.by_subject where a.change_id = $1 order by a.id`,
);

const LEASE_OF = statement<
  Omit<Row<'lease'>, 'session_of' | 'granted_on'> & { readonly is_held: boolean }
>(
  'lease-of',
  `select name, holder, epoch, expires_at, expires_at > clock_timestamp() as is_held
   from lease where name = $1`,
);

/** @param read returns the next lines after a given line */
async function* allLines(
  read: (after: Pick<Row<'history'>, 'seq' | 'n'>) => Promise<readonly Row<'history'>[]>,
): AsyncGenerator<HistoryEntry, void, undefined> {
  let lines = await read({ seq: 0, n: 0 });
  for (;;) {
    yield* lines.map(historyFromRow);
    const last = lines.at(-1);
    if (last === undefined || lines.length < LIMITS.listChunk) return;
    lines = await read(last);
  }
}

/**
 * Creates the reads of the store. They take no locks, and each is one statement, except for those that are read in
 * parts.
 */
export function createReads(pool: Pool): Reads {
  const rowsOf = <R>(io: Io, query: Statement<R>, values: readonly unknown[]): Promise<R[]> =>
    onConnection(pool, io, (session) => session.run(query, values));

  return {
    ...createLists(pool),
    ...createContractReads(pool),
    async lifecycle(id: string, io: Io): Promise<LifecycleView | null> {
      const query = isContractId(id) ? VIEW_BY_CONTRACT : VIEW_BY_ID;
      return onConnection(pool, io, async (session) => {
        const rows = await session.run(query, [id]);
        const [view] = await withSettlements(session, rows.map(viewFromRow));
        return view ?? null;
      });
    },
    history: (id: LifecycleId, io: Io) =>
      allLines((after) => rowsOf(io, HISTORY, [id, after.seq, after.n])),
    changesById: (ids: readonly ChangeId[], io: Io) =>
      onConnection(pool, io, (session) => findChanges(session, ids), 'by-key'),
    participantCauses: (io: Io) => onConnection(pool, io, readParticipantCauses),
    provenTime: (participant: ParticipantName, io: Io) =>
      onConnection(pool, io, (session) => findProvenTime(session, participant), 'by-key'),
    retriesOf: (root: ChangeId, io: Io) =>
      onConnection(pool, io, (session) => findRetries(session, root)),
    async changesByCommand(
      commandId: CommandId,
      callerParty: Party,
      io: Io,
    ): Promise<readonly Change[]> {
      return (await rowsOf(io, CHANGES_BY_COMMAND, [commandId, callerParty])).map(changeFromRow);
    },
    attempts: (id: ChangeId, io: Io) =>
      onConnection(pool, io, (session) => findAttempts(session, id)),
    async audit(id: ChangeId, io: Io): Promise<readonly AuditEntry[]> {
      return (await rowsOf(io, AUDIT, [id])).map(auditFromRow);
    },
    async longestWaiting(query, io: Io): Promise<readonly Change[]> {
      const values = [query.since, query.acceptedBefore, query.limit];
      return (await rowsOf(io, LONGEST_WAITING, values)).map(changeFromRow);
    },
    async inDoubt(limit, io, scope, after = BEFORE_ALL): Promise<readonly Change[]> {
      const position = [limit, after.acceptedAt, after.id];
      const values = scope === undefined ? position : [...position, scope.party];
      return (await rowsOf(io, IN_DOUBT[scope?.of ?? 'all'], values)).map(changeFromRow);
    },
    pauseOf: (id: ChangeId, io: Io) =>
      onConnection(pool, io, (session) => findPauseOf(session, id)),
    heldBack: (participant, provider, io: Io) =>
      onConnection(pool, io, (session) => findHeldBack(session, participant, provider)),
    ledgerTime: (io: Io) => onConnection(pool, io, readLedgerTime, 'by-key'),
    async leaseOf(name: string, io: Io): Promise<LeaseView | null> {
      const [row] = await rowsOf(io, LEASE_OF, [name]);
      if (row === undefined) return null;
      const { holder, epoch, expires_at: expiresAt, is_held: isHeld } = row;
      return { holder, epoch, expiresAt, isHeld };
    },
    async placeInMailbox({ lane, mailboxNo }: Change, io: Io): Promise<number> {
      const [row] = await rowsOf(io, PLACE, [lane, mailboxNo]);
      return Number(row?.place ?? 0n);
    },
    async headOf(lane: LaneId, io: Io): Promise<Change | null> {
      const [row] = await rowsOf(io, HEAD_OF, [lane]);
      return row === undefined ? null : changeFromRow(row);
    },
  };
}
