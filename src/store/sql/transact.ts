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
import { SilentConnectionError, silenceOf } from './silence.ts';
import { sharesOf } from './shares.ts';
import { usualOf } from './usual.ts';

export interface TransactOptions {
  /**
   * False: a crash of the database server may lose the commit although it has been reported. Only for what would be
   * done again without harm.
   */
  readonly durable?: boolean;
  /** True: a question that nobody knows beforehand. It is planned with its values, and writes nothing. */
  readonly asks?: boolean;
  /** Asked on the same connection before the transaction begins, so that its snapshot is of later. */
  readonly before?: (session: Session) => Promise<void>;
}

/**
 * Runs `work` in one transaction, READ COMMITTED, and commits. After a serialisation failure, a deadlock, or a command
 * that another transaction recorded at the same moment, everything is done again, up to
 * `STORE_LIMITS.transactionTriesMax` times; also over another connection where one was found dead before the commit was
 * on its way.
 *
 * The signal and the deadline end it at any moment until the commit is on its way; after that the answer is waited
 * for, because only PostgreSQL knows it.
 *
 * @example
 * const DUE = statement<Pick<Row<'effect'>, 'id'>>('effects-of', 'select id from effect where change_id = $1');
 * const rows = await transact(pool, io, (session) => session.run(DUE, [change.id]));
 *
 * @throws DatabaseUnreachableError; if the connection broke in the commit, it may or may not have happened
 * @throws DatabaseDeadlineError
 * @throws DatabaseOutageError
 * @throws whatever `work` throws, after everything has been rolled back
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

/** Runs `work` on a connection without a transaction: for single statements that only read, or stand alone. */
export async function onConnection<T>(
  pool: Pool,
  io: Io,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  using deadline = new Deadline(io);
  try {
    const lent = await checkOut(pool, deadline);
    const done = work(lent.session);
    // Also after the deadline: the connection is free when its statement has ended.
    done.then(
      () => giveBack(lent),
      (error: unknown) => giveBack(lent, ofNoUse(error)),
    );
    return await Promise.race([done, deadline.over]);
  } catch (error) {
    throw translated(error, pool, io);
  }
}

/** Few tries: it is their number that bounds the pauses. Jitter over all of each, so that rivals part. */
const AGAIN: Backoff = { firstMs: 4, maxMs: Infinity, jitter: 1 };

/**
 * Statements find their few rows by key, in tables that grow faster than PostgreSQL counts them: their plans must walk
 * indexes. One made while a table was small could otherwise read all of it later, for as long as it is kept.
 */
const PLANNING = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Settings of the transaction in one statement: one for each would cost as much as the work. */
function beginning(deadline: Deadline, options: TransactOptions): string {
  const settings = {
    statement_timeout: String(deadline.remainingMs()),
    ...(options.asks === true ? {} : PLANNING),
    ...(options.durable === false ? { synchronous_commit: 'off' } : {}),
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  );
  const mode = options.asks === true ? 'repeatable read, read only' : 'read committed';
  return `begin isolation level ${mode}; select ${calls.join(', ')}`;
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
    session.script(beginning(deadline, options)).catch(() => {});
    const value = await Promise.race([work(session), deadline.over]);
    isCommitting = true;
    const { done, told } = session.commit();
    told.catch(() => {});
    await done;
    // The caller need not wait until others have been told.
    void settle(lent, told);
    return value;
  } catch (error) {
    const rolledBack = settle(lent, session.rollBack(), ofNoUse(error));
    // Locks are gone before anything is tried again. A caller whose time is over does not wait for that: a statement
    // that still runs is ended by its own timeout.
    if (!deadline.isOver()) await rolledBack;
    throw !isCommitting && error instanceof SilentConnectionError ? new NothingDone(error) : error;
  }
}

/** The connection was dead, and the server has ended what was begun on it, or will. */
class NothingDone extends Error {
  constructor(cause: SilentConnectionError) {
    super(cause.message, { cause });
  }
}

/**
 * A session that takes no writes may be the last on a server that was a primary: the next asks who is one now. One over
 * which something was committed that the standby may not have believes nothing any more.
 */
const ofNoUse = (error: unknown): Error | undefined =>
  error instanceof UnreplicatedCommitError ||
  (error instanceof Error && codeOf(error) === READ_ONLY)
    ? error
    : undefined;

/**
 * Gives the connection back when the last statement on it is answered; breaks it off if that fails. Never rejects.
 *
 * @param noUse why it is broken off all the same
 */
async function settle(lent: Lent, last: Promise<unknown>, noUse?: Error): Promise<void> {
  const broken = await last.then(() => noUse, asError);
  giveBack(lent, broken);
}

/** A connection that breaks while it is in use fails the statements on it; nobody else needs to hear of it. */
const ignoreBreak = (): void => {};

/** A connection of a pool, in the hands of one caller. */
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
 * What goes well when it is done again: serialisation failure, deadlock, and the unique key of commands, which says
 * that another transaction has recorded the same command since this one looked for it.
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

/** A statement that was ended by its timeout, or whose answer did not come in time. */
const isLate = (error: unknown): boolean =>
  codeOf(error) === '57014' ||
  (error instanceof Error && error.message.startsWith('Query read timeout'));

const READ_ONLY = '25006';

/** @param asks a question that wants to write is a mistake of ours, and no outage */
function translated(error: unknown, pool: Pool, io: Io, asks = false): unknown {
  if (isLate(error)) return new DatabaseDeadlineError(io.deadlineMs, { cause: error });
  const url = pool.options.connectionString ?? '';
  const unreachable = asUnreachable(error, url);
  if (unreachable !== null || (asks && codeOf(error) === READ_ONLY)) return unreachable ?? error;
  const outage = asOutage(error, url);
  // The database of a provider that moves does all it is to do: what is read is served.
  if (outage !== null && outage.reason !== 'moving') pool.emit(OUTAGE_EVENT, outage);
  return outage ?? error;
}
