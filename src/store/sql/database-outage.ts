import { targetOf } from './database-unreachable.ts';

/** Why a database answers but does not do its work. A fixed set of values, for tests and for health answers. */
export type OutageReason =
  | 'read-only'
  | 'disk-full'
  | 'out-of-memory'
  | 'limit-reached'
  | 'locked'
  | 'contended'
  | 'interrupted'
  | 'moving'
  | 'notify-full'
  | 'storage-failing';

/** A condition in which a database temporarily rejects statements that are correct. */
interface Outage {
  readonly reason: OutageReason;
  /** A sentence for people, without its full stop. */
  readonly words: string;
}

const DISK_FULL: Outage = { reason: 'disk-full', words: 'the disk of the database is full' };
const OUT_OF_MEMORY: Outage = { reason: 'out-of-memory', words: 'the database is out of memory' };
const CONTENDED: Outage = {
  reason: 'contended',
  words: 'too many transactions of the database conflict with each other',
};
const STORAGE: Outage = {
  reason: 'storage-failing',
  words: 'the database cannot read or write its files',
};
const DAMAGED: Outage = {
  reason: 'storage-failing',
  words: 'the database reports that its data is damaged',
};

/** Outages by SQLSTATE. These codes concern the server and never the statement, so the caller may retry later. */
export const OUTAGES: Readonly<Record<string, Outage | undefined>> = {
  '25006': { reason: 'read-only', words: 'the database is read-only' },
  '25P03': {
    reason: 'interrupted',
    words: 'the database ended a transaction that was idle for too long',
  },
  '25P04': {
    reason: 'interrupted',
    words: 'the database ended a transaction that ran for too long',
  },
  '40001': CONTENDED,
  '40P01': CONTENDED,
  '53000': { reason: 'limit-reached', words: 'the database does not have enough resources' },
  '53100': DISK_FULL,
  '53200': OUT_OF_MEMORY,
  '53400': {
    reason: 'limit-reached',
    words: 'the database has reached one of its configured limits',
  },
  '55P03': {
    reason: 'locked',
    words: 'another session locks the rows or tables of this statement',
  },
  '57000': {
    reason: 'interrupted',
    words: 'an administrator or a time limit of the database cancelled the statement',
  },
  '58000': STORAGE,
  '58030': STORAGE,
  '58P01': STORAGE,
  // Tenure's own trigger raises this code: see migrations/0048_cell_move.sql.
  TN002: {
    reason: 'moving',
    words: 'the provider is moving to another cell, so this cell accepts no writes',
  },
  XX001: DAMAGED,
  XX002: DAMAGED,
};

/** Recognised by its message, because PostgreSQL has no separate SQLSTATE for this condition. */
const WRAPAROUND = /not accepting commands .*wraparound/iu;
const OUT_OF_IDS: Outage = {
  reason: 'read-only',
  words:
    'the database has no transaction IDs left and accepts no writes until an administrator runs VACUUM',
};

/**
 * Recognised by the message: SQLSTATE 54000 is also used for statements that are too complex, which is not an outage.
 */
const TOO_MANY_NOTIFICATIONS = /\bNOTIFY\b/u;
const NOTIFY_FULL: Outage = {
  reason: 'notify-full',
  words: 'the NOTIFY queue of the database is full',
};

function outageOf(code: string, message: string): Outage | undefined {
  if (WRAPAROUND.test(message)) return OUT_OF_IDS;
  if (code === '54000' && TOO_MANY_NOTIFICATIONS.test(message)) return NOTIFY_FULL;
  return OUTAGES[code];
}

/** Advice for the administrator of the database, by reason. */
const ADVICE: Readonly<Record<OutageReason, string>> = {
  'read-only':
    'Find out why the database accepts no writes: default_transaction_read_only is set, a failover is in progress, or the hosting provider has locked the database.',
  'disk-full': 'Free space on the disk of the database, or attach a larger disk.',
  'out-of-memory':
    'Give the database server more memory, or lower work_mem, max_connections or max_locks_per_transaction.',
  'limit-reached': 'Read the log of the database to find the limit, and raise the limit.',
  locked:
    'Find the session that holds the lock in pg_stat_activity and pg_locks, and end that session.',
  contended: 'Read the log of the database to find the conflicting transactions.',
  interrupted: 'Check the values of transaction_timeout and idle_in_transaction_session_timeout.',
  moving: 'Run `tenure cell status` to see the progress of the move; docs/SCALING.md describes it.',
  'notify-full':
    'End the listening session that is idle in a transaction: pg_stat_activity shows it with the oldest xact_start.',
  'storage-failing':
    'Read the log of the database and check the disk with its data; have a backup ready.',
};

/** The event that a pool emits for each transaction that ends with an outage. */
export const OUTAGE_EVENT = 'outage';

/** Thrown if the database answers but cannot serve the call now. Nothing of the call was committed. */
export class DatabaseOutageError extends Error {
  override readonly name = 'DatabaseOutageError';
  readonly reason: OutageReason;
  /** For callers: without host and port. */
  readonly words: string;

  constructor({ reason, words }: Outage, where: string, options?: ErrorOptions) {
    super(`${words} (PostgreSQL at ${where})`, options);
    this.reason = reason;
    this.words = words;
  }

  get todo(): string {
    return ADVICE[this.reason];
  }
}

/**
 * Translates an error of the driver.
 *
 * @param url the URL of the connection; may contain a password
 * @returns `null` for an error that concerns the statement, such as a constraint violation
 */
export function asOutage(error: unknown, url: string): DatabaseOutageError | null {
  if (error instanceof DatabaseOutageError) return error;
  if (!(error instanceof Error) || !('code' in error)) return null;
  const outage = outageOf(String(error.code), error.message);
  if (outage === undefined) return null;
  const where = targetOf(url)?.where ?? 'an address that cannot be parsed';
  return new DatabaseOutageError(outage, where, { cause: error });
}
