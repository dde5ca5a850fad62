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
import { usualOf } from './usual.ts';

export interface TransactOptions {
  /**
   * False: a crash of the database server may lose the commit although it was reported. Only for work that can be
   * repeated without harm.
   */
  readonly durable?: boolean;
  /** True: the transaction runs a query built at run time. It is planned with its values, and writes nothing. */
  readonly asks?: boolean;
  /** Runs on the same connection before BEGIN, so that the snapshot is newer. */
  readonly before?: (session: Session) => Promise<void>;
}

/**
 * Runs `work` in one transaction, READ COMMITTED, and commits. After a serialisation failure, a deadlock, or a command
 * that another transaction recorded at the same moment, everything is repeated, up to
 * `STORE_LIMITS.transactionTriesMax` times. If a connection is found dead before the commit was sent, the work is
 * repeated over another one.
 *
 * The signal and the deadline end it at any moment until the commit has been sent; after that the answer is awaited,
 * because only PostgreSQL knows the result.
 *
 * @example
 * const DUE = statement<Pick<Row<'effect'>, 'id'>>('effects-of', 'select id from effect where change_id = $1');
 * const rows = await transact(pool, io, (session) => session.run(DUE, [change.id]));
 *
 * @throws DatabaseUnreachableError; if the connection broke in the commit, it may or may not have happened
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
 * Runs `work` on a connection without a transaction: for single statements that only read, or need no other.
 *
 * @param planning `by-key`, as in transactions, for statements that run often, so that the connection stays as it is
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
    // Also after the deadline: the connection is free once its statement has ended.
    done.then(
      () => giveBack(lent),
      (error: unknown) => giveBack(lent, ofNoUse(error)),
    );
    return await Promise.race([done, deadline.over]);
  } catch (error) {
    throw translated(error, pool, io);
  }
}

/** The number of tries is small and bounds the pauses. Jitter covers the whole pause, so that rivals separate. */
const AGAIN: Backoff = { firstMs: 4, maxMs: Infinity, jitter: 1 };

/** The connection has the settings that most transactions need, so `begin` stands alone. */
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
    // The caller need not wait for the notifications.
    void settle(lent, told);
    return value;
  } catch (error) {
    const rolledBack = settle(lent, session.rollBack(), ofNoUse(error));
    // Locks are released before anything is retried. A caller whose deadline has passed does not wait for that: a
    // statement that still runs is ended by its own timeout.
    if (!deadline.isOver()) await rolledBack;
    throw !isCommitting && error instanceof SilentConnectionError ? new NothingDone(error) : error;
  }
}

/** The connection was dead, and the server has rolled back its work, or will. */
class NothingDone extends Error {
  constructor(cause: SilentConnectionError) {
    super(cause.message, { cause });
  }
}

/**
 * Returns an error if the connection must not be reused. A session that takes no writes may be on a former primary: the
 * next connection asks for the current one. A connection with a possibly unreplicated commit is not trusted any more.
 */
const ofNoUse = (error: unknown): Error | undefined =>
  error instanceof UnreplicatedCommitError ||
  (error instanceof Error && codeOf(error) === READ_ONLY)
    ? error
    : undefined;

/**
 * Returns the connection when its last statement is answered; breaks it if that fails. Never rejects.
 *
 * @param noUse why the connection is broken even if the statement succeeds
 */
async function settle(lent: Lent, last: Promise<unknown>, noUse?: Error): Promise<void> {
  const broken = await last.then(() => noUse, asError);
  giveBack(lent, broken);
}

/** A broken connection fails its own statements only. */
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
    return { ...(await usualConnectionOf(pool, deadline)), leaveShare };
  } catch (error) {
    leaveShare();
    throw error;
  }
}

type Connected = Omit<Lent, 'leaveShare'>;

async function usualConnectionOf(pool: Pool, deadline: Deadline): Promise<Connected> {
  const usual = usualOf(pool);
  await usual?.enter(deadline.over);
  try {
    return await connectionOf(pool, deadline);
  } catch (error) {
    usual?.leave();
    throw error;
  }
}

async function connectionOf(pool: Pool, deadline: Deadline): Promise<Connected> {
  for (;;) {
    const asked = pool.connect();
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
        (late) => late.release(),
        () => {},
      );
      throw error;
    }
  }
}

function giveBack({ pool, leaveShare, client, session }: Lent, broken?: Error): void {
  session.end();
  silenceOf(pool)?.leave(client);
  client.release(broken);
  client.removeListener('error', ignoreBreak);
  usualOf(pool)?.leave();
  leaveShare();
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/**
 * Whether a retry may succeed: after a serialisation failure, a deadlock, or a violated unique key of commands, which
 * means that another transaction recorded the same command since this one looked for it.
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

/** The statement was ended by its timeout, or its answer did not arrive in time. */
const isLate = (error: unknown): boolean =>
  codeOf(error) === '57014' ||
  (error instanceof Error && error.message.startsWith('Query read timeout'));

const READ_ONLY = '25006';

/** @param asks whether the transaction only reads: then a write is a bug of the code, and no outage */
function translated(error: unknown, pool: Pool, io: Io, asks = false): unknown {
  if (isLate(error)) return new DatabaseDeadlineError(io.deadlineMs, { cause: error });
  const url = pool.options.connectionString ?? '';
  const unreachable = asUnreachable(error, url);
  if (unreachable !== null || (asks && codeOf(error) === READ_ONLY)) return unreachable ?? error;
  const outage = asOutage(error, url);
  // The database of a moving provider still serves reads and works as intended.
  if (outage !== null && outage.reason !== 'moving') pool.emit(OUTAGE_EVENT, outage);
  return outage ?? error;
}
