import type { Pool, PoolClient } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { sleep } from '../../app/ports/wakeup.ts';
import type { Backoff } from '../../domain/backoff.ts';
import { backoffDelayMs } from '../../domain/backoff.ts';
import { asError } from '../../domain/error-text.ts';
import { STORE_LIMITS } from '../limits.ts';
import { asOutage, OUTAGE_EVENT } from './database-outage.ts';
import { asUnreachable } from './database-unreachable.ts';
import { DatabaseDeadlineError, Deadline } from './deadline.ts';
import { UnreplicatedCommitError } from './server-client.ts';
import { Session } from './session.ts';
import type { Planning } from './session-settings.ts';
import { PLAN_FREELY_HERE } from './session-settings.ts';
import { SilentConnectionError, silenceOf } from './silence.ts';
import { sharesOf } from './shares.ts';
import { connectUsually, release } from './usual.ts';

export interface TransactOptions {
  /**
   * If false, a crash of the database server may lose the commit after it was reported. Only for work that can be
   * repeated without harm.
   */
  readonly durable?: boolean;
  /**
   * If true, the transaction runs a query that was built at run time. The query is planned with its values, and nothing
   * is written.
   */
  readonly asks?: boolean;
  /** Runs before BEGIN on the same connection, so that the transaction's snapshot is newer. */
  readonly before?: (session: Session) => Promise<void>;
}

/**
 * Runs `work` in one transaction (READ COMMITTED) and commits. After a serialisation failure, a deadlock, or a command
 * that another transaction recorded at the same moment, everything is repeated, up to
 * `STORE_LIMITS.transactionTriesMax` times. If the connection is found to be dead before the commit was sent, the work
 * is repeated over another one.
 *
 * Until the commit has been sent, the signal and the deadline end the call at any moment. After that, the answer is
 * awaited, because only PostgreSQL knows the result.
 *
 * @example
 * const DUE = statement<Pick<Row<'effect'>, 'id'>>('effects-of', 'select id from effect where change_id = $1');
 * const rows = await transact(pool, io, (session) => session.run(DUE, [change.id]));
 *
 * @throws DatabaseUnreachableError; if the connection broke during the commit, the transaction may or may not be
 * committed
 * @throws DatabaseDeadlineError
 * @throws DatabaseOutageError
 * @throws any error of `work`, after everything has been rolled back
 */
export async function transact<T>(
  pool: Pool,
  io: Io,
  work: (session: Session) => Promise<T>,
  options: TransactOptions = {},
): Promise<T> {
  using deadline = new Deadline(io);
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(pool, deadline, work, options);
    } catch (error) {
      const again =
        isRepeatable(error) && tries < STORE_LIMITS.transactionTriesMax && !deadline.isOver();
      if (!again) throw translated(error, pool, io, options.asks);
    }
    const pause = sleep(backoffDelayMs(AGAIN, tries - 1, Math.random()), io.signal);
    await Promise.race([pause, deadline.over]);
  }
}

/**
 * Runs `work` on a connection without a transaction: for single statements that only read, or that need no transaction
 * of several statements. Notifications are sent when `work` has ended; the caller need not wait.
 *
 * @param planning `by-key` as in transactions, for statements that run often: then the planning need not be switched
 */
export async function onConnection<T>(
  pool: Pool,
  io: Io,
  work: (session: Session) => Promise<T>,
  planning: Planning = 'freely',
): Promise<T> {
  using deadline = new Deadline(io);
  try {
    const lent = await checkOut(pool, deadline);
    lent.session.plan(planning);
    const done = work(lent.session);
    // This also runs after the deadline, because the connection becomes free only when its statement has ended.
    done.then(
      () => (lent.session.hasNews ? settle(lent, lent.session.tell()) : giveBack(lent)),
      (error: unknown) => giveBack(lent, ofNoUse(error)),
    );
    return await Promise.race([done, deadline.over]);
  } catch (error) {
    throw translated(error, pool, io);
  }
}

/**
 * The pauses need no maximum, because the number of tries is small. Jitter covers the whole pause, so that competing
 * transactions separate.
 */
const AGAIN: Backoff = { firstMs: 4, maxMs: Infinity, jitter: 1 };

/**
 * Returns the SQL that begins a transaction. Usually this is `begin` alone, because the connection already has the
 * settings that most transactions need.
 */
function beginning(pool: Pool, deadline: Deadline, options: TransactOptions): string {
  const leftMs = deadline.remainingMs();
  const { statement_timeout: limitMs } = pool.options;
  const isNear =
    typeof limitMs === 'number' &&
    leftMs <= limitMs &&
    limitMs <= leftMs * STORE_LIMITS.statementLateFactor;
  return [
    options.asks === true ? 'begin isolation level repeatable read, read only' : 'begin',
    ...(options.asks === true ? [PLAN_FREELY_HERE] : []),
    ...(isNear ? [] : [`set local statement_timeout = ${leftMs}`]),
    ...(options.durable === false ? ['set local synchronous_commit = off'] : []),
  ].join('; ');
}

async function once<T>(
  pool: Pool,
  deadline: Deadline,
  work: (session: Session) => Promise<T>,
  options: TransactOptions,
): Promise<T> {
  const lent = await checkOut(pool, deadline);
  const { session } = lent;
  let isCommitting = false;
  try {
    if (options.before !== undefined) await Promise.race([options.before(session), deadline.over]);
    session.plan('by-key');
    session.script(beginning(pool, deadline, options)).catch(() => {});
    const value = await Promise.race([work(session), deadline.over]);
    isCommitting = true;
    const { done, told } = session.commit();
    told.catch(() => {});
    await done;
    // The caller need not wait until the notifications are sent.
    void settle(lent, told);
    return value;
  } catch (error) {
    const rolledBack = settle(lent, session.rollBack(), ofNoUse(error));
    // Locks are released before anything is retried. A caller whose deadline has passed does not wait for that: the
    // server's statement timeout ends a statement that still runs.
    if (!deadline.isOver()) await rolledBack;
    throw !isCommitting && error instanceof SilentConnectionError ? new NothingDone(error) : error;
  }
}

/** Thrown if the connection was dead before the commit was sent. The server has rolled back its work, or will do so. */
class NothingDone extends Error {
  constructor(cause: SilentConnectionError) {
    super(cause.message, { cause });
  }
}

/**
 * Returns the error if the connection must not be used again. A session that takes no writes may lead to a former
 * primary, and the next connection asks for the current one. A connection with a commit that may be unreplicated is not
 * trusted any more.
 */
const ofNoUse = (error: unknown): Error | undefined =>
  error instanceof UnreplicatedCommitError ||
  (error instanceof Error && codeOf(error) === READ_ONLY)
    ? error
    : undefined;

/**
 * Returns the connection to the pool when its last statement is answered, or breaks it if that statement fails. Never
 * rejects.
 *
 * @param noUse why the connection is broken even if the statement succeeds
 */
async function settle(lent: Lent, last: Promise<unknown>, noUse?: Error): Promise<void> {
  const broken = await last.then(() => noUse, asError);
  giveBack(lent, broken);
}

/** Ignores the error event of a broken connection: only the statements on that connection fail. */
const ignoreBreak = (): void => {};

/** A connection of a pool, lent to one caller. */
interface Lent {
  readonly pool: Pool;
  readonly leaveShare: () => void;
  readonly client: PoolClient;
  readonly session: Session;
}

const NO_SHARE = (): void => {};

async function checkOut(pool: Pool, deadline: Deadline): Promise<Lent> {
  const shares = sharesOf(pool);
  const leaveShare = (await shares?.enter(deadline.turn, deadline.over)) ?? NO_SHARE;
  try {
    return { ...(await connectionOf(pool, deadline)), leaveShare };
  } catch (error) {
    leaveShare();
    throw error;
  }
}

type Connected = Omit<Lent, 'leaveShare'>;

async function connectionOf(pool: Pool, deadline: Deadline): Promise<Connected> {
  for (;;) {
    const asked = connectUsually(pool);
    try {
      const client = await Promise.race([asked, deadline.over]);
      if (silenceOf(pool)?.isTrusted(client) === false) {
        client.release(new SilentConnectionError());
        continue;
      }
      client.on('error', ignoreBreak);
      const session = new Session(client);
      silenceOf(pool)?.enter(client, session);
      return { pool, client, session };
    } catch (error) {
      asked.then(
        (late) => release(pool, late),
        () => {},
      );
      throw error;
    }
  }
}

function giveBack({ pool, leaveShare, client, session }: Lent, broken?: Error): void {
  session.end();
  silenceOf(pool)?.leave(client);
  release(pool, client, broken);
  client.removeListener('error', ignoreBreak);
  leaveShare();
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/**
 * Whether a retry may succeed: after a serialisation failure, after a deadlock, or if the unique key of commands was
 * violated. A violated key means that another transaction has recorded the same command since this one searched for the
 * command.
 */
function isRepeatable(error: unknown): boolean {
  if (error instanceof NothingDone) return true;
  const code = codeOf(error);
  if (code === '40001' || code === '40P01') return true;
  return (
    code === '23505' &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === 'change_command_key'
  );
}

/** Whether the statement was ended by its timeout, or its answer did not arrive in time. */
const isLate = (error: unknown): boolean =>
  codeOf(error) === '57014' ||
  (error instanceof Error && error.message.startsWith('Query read timeout'));

const READ_ONLY = '25006';

/** @param asks whether the transaction only reads: then a refused write is a bug of the code, not an outage */
function translated(error: unknown, pool: Pool, io: Io, asks = false): unknown {
  if (isLate(error)) return new DatabaseDeadlineError(io.deadlineMs, { cause: error });
  const url = pool.options.connectionString ?? '';
  const unreachable = asUnreachable(error, url);
  if (unreachable !== null || (asks && codeOf(error) === READ_ONLY)) return unreachable ?? error;
  const outage = asOutage(error, url);
  // While a provider moves, its database still serves reads and works as intended, so that is not reported as an
  // outage.
  if (outage !== null && outage.reason !== 'moving') pool.emit(OUTAGE_EVENT, outage);
  return outage ?? error;
}
