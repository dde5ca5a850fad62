import type { Pool } from 'pg';
import { asError } from '../../domain/error-text.ts';
import type { ChangeId, ContractId, LaneId, LifecycleId, SubmissionId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Effect } from '../../domain/change.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';
import type { AttemptColumns } from '../rows/attempt-row.ts';
import { attemptFromRow } from '../rows/attempt-row.ts';
import type { AuditRow } from '../rows/audit-row.ts';
import { auditFromRow } from '../rows/audit-row.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import { historyFromRow } from '../rows/history-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import type { Row } from '../../../migrations/schema.ts';
import { asOutage } from '../sql/database-outage.ts';
import { Session } from '../sql/session.ts';
import type { Statement } from '../sql/statement.ts';
import { columnsOf, membersOf, plannedAnew } from '../sql/statement.ts';
import { readMoment } from './audit-chain.ts';
import { readCauses, readCursors, readLeases } from './causes.ts';
import type { ContractColumns, ExerciseRow, UpdateRow } from './rows.ts';
import { ATTEMPT_COLUMNS, CONTRACT_ROW_COLUMNS, EXERCISE, UPDATE, contractOf } from './rows.ts';
import type { MailboxColumns } from './mailboxes.ts';
import { mailboxEvidence, mailboxes } from './mailboxes.ts';
import { WALK_SUBSCRIPTIONS, subscriptionEvidence } from '../subscriptions/evidence.ts';
import { STORE_LIMITS } from '../limits.ts';

/*
 * Reads the store at one moment, in pages, so that memory is bounded for stores of any size. One read-only transaction
 * sees one snapshot. Long tables are read through cursors, so each is sorted only once. Statements are planned at each
 * run, because pages differ and each is read only once.
 */

type ChangeColumns = ChangeRow & Pick<Row<'change'>, 'duplicate_no'>;
const change = columnsOf('c', [...CHANGE_COLUMNS, 'duplicate_no']);
const contract = columnsOf('k', CONTRACT_ROW_COLUMNS);
const history = `h.lifecycle_id, h.seq, h.n, h.at, h.kind, h.state, h.by, h.command_id, h.ledger_offset,
  h.update_id, h.contract_id, h.detail`;

const WALK_CHANGES = plannedAnew<ChangeColumns>(
  'evidence-walk-changes',
  `select ${change} from change c order by c.lane, c.mailbox_no, c.id`,
);
const WALK_MAILBOXES = plannedAnew<MailboxColumns>(
  'evidence-walk-mailboxes',
  `${mailboxes}
  where m.head is not null or m.waiting > 0 order by m.lane`,
);
const WALK_LIFECYCLES = plannedAnew<LifecycleRow>(
  'evidence-walk-lifecycles',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)} from lifecycle l order by l.id`,
);

const CHANGES = plannedAnew<ChangeColumns>(
  'evidence-changes',
  `select ${change} from change c where c.id = any($1)`,
);
const ATTEMPTS = plannedAnew<AttemptColumns>(
  'evidence-attempts',
  `select ${columnsOf('a', ATTEMPT_COLUMNS)} from attempt a
   where a.change_id = any($1) order by a.change_id, a.n`,
);
const EFFECTS = plannedAnew<Effect>(
  'evidence-effects',
  `select ${membersOf('e', ['id', 'change_id', 'due_at', 'dispatch_no', 'done_at', 'made_at', 'held_at'])}
   from effect e where e.change_id = any($1)`,
);
const UPDATES_OF_CHANGES = plannedAnew<UpdateRow>(
  'evidence-updates-of-changes',
  `select ${UPDATE} from ledger_update u
   where u.update_id = any($1) or u.workflow_id = any($2) order by u."offset"`,
);
/**
 * May also find lines of other changes, because lifecycles can share command IDs. The code that uses the result
 * compares both.
 */
const LINES_OF_CHANGES = plannedAnew<Row<'history'>>(
  'evidence-lines-of-changes',
  `select ${history} from history h
   where h.lifecycle_id = any($1) and h.command_id = any($2)
   order by h.lifecycle_id, h.seq, h.n`,
);
const AUDIT = plannedAnew<AuditRow>(
  'evidence-audit',
  `select id, at, by_party, by_subject, act, change_id, subject, from_state, to_state, reason, detail
   from audit where change_id = any($1) order by id`,
);
const MAILBOXES = plannedAnew<MailboxColumns>(
  'evidence-mailboxes',
  `${mailboxes} where m.lane = any($1)`,
);
const HISTORY = plannedAnew<Row<'history'>>(
  'evidence-history',
  `select ${history} from history h
   where h.lifecycle_id = $1 and (h.seq, h.n) > ($2, $3) order by h.seq, h.n limit $4`,
);
const HISTORIES = plannedAnew<Row<'history'>>(
  'evidence-histories',
  `select ${history} from history h where h.lifecycle_id = any($1) order by h.lifecycle_id, h.seq, h.n`,
);
const HISTORY_LENGTHS = plannedAnew<{ lifecycle_id: string; lines: bigint }>(
  'evidence-history-lengths',
  `select lifecycle_id, count(*) as lines from history where lifecycle_id = any($1) group by lifecycle_id`,
);
const LIFECYCLES = plannedAnew<LifecycleRow>(
  'evidence-lifecycles',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)} from lifecycle l where l.id = any($1)`,
);
const LINEAGE = plannedAnew<{ contract_id: string; lifecycle_id: string }>(
  'evidence-lineage',
  'select contract_id, lifecycle_id from lineage where contract_id = any($1)',
);
const CONTRACTS = plannedAnew<ContractColumns>(
  'evidence-contracts',
  `select ${contract} from contract k where k.contract_id = any($1)`,
);
const CONTRACTS_CREATED_AT = plannedAnew<ContractColumns>(
  'evidence-contracts-created-at',
  `select ${contract} from contract k where k.created_at_offset = any($1)`,
);
const BOUND = plannedAnew<{ offset: bigint }>(
  'evidence-bound',
  `select u."offset" from ledger_update u
   where u."offset" > $1 and u."offset" <= $2 order by u."offset" offset $3 limit 1`,
);
const UPDATES_IN = plannedAnew<UpdateRow>(
  'evidence-updates-in',
  `select ${UPDATE} from ledger_update u
   where u."offset" > $1 and u."offset" <= $2 order by u."offset"`,
);
/** Finds updates beyond the cursor, of which there should be none. */
const UPDATES_BEYOND = plannedAnew<UpdateRow>(
  'evidence-updates-beyond',
  `select ${UPDATE} from ledger_update u
   where u."offset" > $1 order by u."offset" limit $2`,
);
const CONTRACTS_IN = plannedAnew<ContractColumns>(
  'evidence-contracts-in',
  `select ${contract} from contract k where k.created_at_offset > $1 and k.created_at_offset <= $2
   union all
   select ${contract} from contract k
   where k.archived_at_offset > $1 and k.archived_at_offset <= $2
     and not (k.created_at_offset > $1 and k.created_at_offset <= $2)`,
);
const EXERCISES_IN = plannedAnew<ExerciseRow>(
  'evidence-exercises-in',
  `select ${EXERCISE} from exercise e
   where e."offset" > $1 and e."offset" <= $2 order by e."offset", e.node_id`,
);
const CHANGES_OF_SUBMISSIONS = plannedAnew<{ change_id: string }>(
  'evidence-changes-of-submissions',
  'select distinct change_id from attempt where submission_id = any($1)',
);
const ACTIVE = plannedAnew<{ rows: bigint }>(
  'evidence-active',
  `select count(*) as rows from contract k
   where k.archived_at_offset is null and not k.divulged_only and k.template_fqn = any($1)`,
);

/** A history or a part of one: `fromBirth` if it includes the first line, `toNow` if it includes the last. */
interface Lines {
  readonly history: readonly HistoryEntry[];
  readonly fromBirth: boolean;
  readonly toNow: boolean;
}

class Snapshot {
  readonly #session: Session;
  #cursors = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  async head() {
    const [moment, cursors, leases, causes] = await Promise.all([
      readMoment(this.#session),
      readCursors(this.#session),
      readLeases(this.#session),
      readCauses(this.#session),
    ]);
    return { ...moment, cursors, leases, causes };
  }

  async *#walk<R>({ text }: Statement<R>): AsyncGenerator<R[], void, undefined> {
    this.#cursors += 1;
    const name = `evidence_${this.#cursors}`;
    await this.#session.script(`declare ${name} no scroll cursor for ${text}`);
    const fetch: Statement<R> = {
      name: null,
      text: `fetch ${STORE_LIMITS.evidencePage} from ${name}`,
    };
    for (;;) {
      const rows = await this.#session.run(fetch);
      if (rows.length > 0) yield rows;
      if (rows.length < STORE_LIMITS.evidencePage) break;
    }
    await this.#session.script(`close ${name}`);
  }

  /** Reads all changes, ordered by lane and position, with all their related rows. */
  async *changePages() {
    for await (const rows of this.#walk(WALK_CHANGES)) {
      yield await this.#completed(rows);
    }
  }

  async changes(ids: readonly ChangeId[]) {
    if (ids.length === 0) return [];
    const rows = await this.#session.run(CHANGES, [ids]);
    return this.#completed(rows);
  }

  async #completed(found: readonly ChangeColumns[]) {
    const changes = found.map(changeFromRow);
    const ids = changes.map(({ id }) => id);
    const stepped = changes.filter(({ lifecycleId }) => lifecycleId !== null);
    const [attempts, effects, updates, lines, audit] = await Promise.all([
      this.#session.run(ATTEMPTS, [ids]),
      this.#session.run(EFFECTS, [ids]),
      this.#session.run(UPDATES_OF_CHANGES, [
        changes.flatMap(({ acceptance }) => acceptance?.updateId ?? []),
        ids.map((id) => `tenure-${id}`),
      ]),
      this.#session.run(LINES_OF_CHANGES, [
        [...new Set(stepped.map(({ lifecycleId }) => lifecycleId))],
        stepped.map(({ commandId }) => commandId),
      ]),
      this.#session.run(AUDIT, [ids]),
    ]);
    const attemptsOf = Map.groupBy(attempts, (row) => row.change_id);
    const effectsOf = new Map(effects.map((effect) => [effect.changeId, effect]));
    const linesOf = Map.groupBy(lines, (row) => `${row.lifecycle_id} ${row.command_id}`);
    const auditOf = Map.groupBy(audit, (row) => row.change_id);
    return changes.map((of, i) => ({
      change: of,
      duplicateNo: found[i]?.duplicate_no ?? 0,
      attempts: (attemptsOf.get(of.id) ?? []).map(attemptFromRow),
      effect: effectsOf.get(of.id) ?? null,
      updates: updates.filter(
        ({ updateId, workflowId }) =>
          updateId === of.acceptance?.updateId || workflowId === `tenure-${of.id}`,
      ),
      history: (linesOf.get(`${of.lifecycleId} ${of.commandId}`) ?? []).map(historyFromRow),
      audit: (auditOf.get(of.id) ?? []).map(auditFromRow),
    }));
  }

  /** Reads the mailboxes that are not empty. */
  async *mailboxPages() {
    for await (const rows of this.#walk(WALK_MAILBOXES)) {
      yield rows.map(mailboxEvidence);
    }
  }

  async mailboxes(lanes: readonly LaneId[]) {
    if (lanes.length === 0) return [];
    return (await this.#session.run(MAILBOXES, [lanes])).map(mailboxEvidence);
  }

  /**
   * Reads all lifecycles with their histories. A long history comes in parts; each part begins with the last line of
   * the previous part.
   */
  async *lifecyclePages() {
    for await (const rows of this.#walk(WALK_LIFECYCLES)) {
      const lifecycles = rows.map(lifecycleFromRow);
      const ids = lifecycles.map(({ id }) => id);
      const lengths = await this.#session.run(HISTORY_LENGTHS, [ids]);
      const long = new Set(
        lengths
          .filter(({ lines }) => lines > STORE_LIMITS.evidenceHistoryPage)
          .map((row) => row.lifecycle_id),
      );
      const short = await this.#session.run(HISTORIES, [ids.filter((id) => !long.has(id))]);
      const linesOf = Map.groupBy(short, (row) => row.lifecycle_id);
      yield lifecycles
        .filter(({ id }) => !long.has(id))
        .map((lifecycle) => ({
          lifecycle,
          history: (linesOf.get(lifecycle.id) ?? []).map(historyFromRow),
          fromBirth: true,
          toNow: true,
        }));
      for (const lifecycle of lifecycles.filter(({ id }) => long.has(id))) {
        for await (const lines of this.#parts(lifecycle.id)) yield [{ lifecycle, ...lines }];
      }
    }
  }

  /** Reads all subscriptions, with the facts that decide their next steps. */
  async *subscriptionPages() {
    for await (const rows of this.#walk(WALK_SUBSCRIPTIONS)) {
      yield await subscriptionEvidence(this.#session, rows);
    }
  }

  async *#parts(id: LifecycleId): AsyncGenerator<Lines, void, undefined> {
    let last: Row<'history'> | undefined;
    for (;;) {
      const after = [last?.seq ?? 0, last?.n ?? 0];
      const rows = await this.#session.run(HISTORY, [
        id,
        ...after,
        STORE_LIMITS.evidenceHistoryPage,
      ]);
      const lines = last === undefined ? rows : [last, ...rows];
      const toNow = rows.length < STORE_LIMITS.evidenceHistoryPage;
      yield { history: lines.map(historyFromRow), fromBirth: last === undefined, toNow };
      if (toNow) return;
      last = rows.at(-1);
    }
  }

  async lifecycles(ids: readonly LifecycleId[]): Promise<readonly Lifecycle[]> {
    if (ids.length === 0) return [];
    return (await this.#session.run(LIFECYCLES, [ids])).map(lifecycleFromRow);
  }

  async lineage(contracts: readonly ContractId[]): Promise<ReadonlyMap<ContractId, LifecycleId>> {
    const rows = await this.#session.run(LINEAGE, [contracts]);
    return new Map(
      rows.map((row) => [
        trusted<ContractId>(row.contract_id),
        trusted<LifecycleId>(row.lifecycle_id),
      ]),
    );
  }

  async contracts(ids: readonly ContractId[]) {
    if (ids.length === 0) return [];
    return (await this.#session.run(CONTRACTS, [ids])).map(contractOf);
  }

  /** Reads the contracts that updates at these offsets created. */
  async contractsCreatedAt(offsets: readonly bigint[]) {
    if (offsets.length === 0) return [];
    return (await this.#session.run(CONTRACTS_CREATED_AT, [offsets])).map(contractOf);
  }

  /** Returns the offset of the `count`th update after `after`, or `upTo` if there are fewer. */
  async bound(after: bigint, upTo: bigint, count: number): Promise<bigint> {
    const [row] = await this.#session.run(BOUND, [after, upTo, count - 1]);
    return row?.offset ?? upTo;
  }

  /** Reads all rows of the projection with offsets in a range; `after` is excluded, `upTo` included. */
  async rowsIn(after: bigint, upTo: bigint) {
    const [updates, contracts, exercises] = await Promise.all([
      this.#session.run(UPDATES_IN, [after, upTo]),
      this.#session.run(CONTRACTS_IN, [after, upTo]),
      this.#session.run(EXERCISES_IN, [after, upTo]),
    ]);
    return {
      updates,
      contracts: contracts.map(contractOf),
      exercises,
    };
  }

  /** Reads the first updates beyond an offset; there should be none. */
  async updatesBeyond(offset: bigint) {
    return this.#session.run(UPDATES_BEYOND, [offset, STORE_LIMITS.evidencePage]);
  }

  async changesOfSubmissions(ids: readonly SubmissionId[]): Promise<readonly ChangeId[]> {
    const rows = await this.#session.run(CHANGES_OF_SUBMISSIONS, [ids]);
    return rows.map((row) => trusted<ChangeId>(row.change_id));
  }

  /** Counts the active rows of these templates and interfaces. */
  async activeRows(types: readonly string[]): Promise<bigint> {
    const [row] = await this.#session.run(ACTIVE, [types]);
    return row?.rows ?? 0n;
  }
}

/** The argument with which {@link withSnapshot} calls its callback. */
export type StoreSnapshot = Snapshot;

/**
 * Calls `work` with a snapshot of the store, which stays the same however long `work` takes. Nothing is written. If a
 * table is locked, waits at most `STORE_LIMITS.snapshotLockMs`.
 *
 * @param pool the caller closes it; its timeouts apply to statements
 */
export async function withSnapshot<T>(
  pool: Pool,
  signal: AbortSignal,
  work: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = await pool.connect();
  // The next read reports a broken connection. Without this listener, an error event between two statements would end
  // the process.
  const ignoreBreak = (): void => undefined;
  client.on('error', ignoreBreak);
  const session = new Session(client);
  let released = false;
  const giveBack = (broken?: Error): void => {
    if (released) return;
    released = true;
    session.end();
    client.release(broken);
    client.removeListener('error', ignoreBreak);
  };
  // Without this, an aborted signal would not end a statement that runs for minutes.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  const breakOff = (): void => {
    broken.reject(signal.reason);
    giveBack(new Error('given up'));
  };
  signal.addEventListener('abort', breakOff, { once: true });
  try {
    signal.throwIfAborted();
    const lockMs = `set local lock_timeout = ${STORE_LIMITS.snapshotLockMs}`;
    await session.script(`begin isolation level repeatable read, read only; ${lockMs}`);
    const value = await Promise.race([work(new Snapshot(session)), broken.promise]);
    await session.script('commit');
    giveBack();
    return value;
  } catch (error) {
    giveBack(asError(error));
    throw asOutage(error, pool.options.connectionString ?? '') ?? error;
  } finally {
    signal.removeEventListener('abort', breakOff);
  }
}
