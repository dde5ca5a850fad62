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
const OUT_OF_MEMORY: Outage = { reason: 'out-of-memory', words: 'the database has no memory left' };
const CONTENDED: Outage = {
  reason: 'contended',
  words: 'too many transactions of the database are in each other’s way',
};
const STORAGE: Outage = {
  reason: 'storage-failing',
  words: 'the database cannot read or write its files',
};
const DAMAGED: Outage = { reason: 'storage-failing', words: 'the database finds its data damaged' };

/** Outages by SQLSTATE. These codes concern the server and never the statement, so the caller may retry later. */
export const OUTAGES: Readonly<Record<string, Outage | undefined>> = {
  '25006': { reason: 'read-only', words: 'the database is read-only' },
  '25P03': { reason: 'interrupted', words: 'the database has ended a transaction that was idle' },
  '25P04': { reason: 'interrupted', words: 'the database has ended a transaction as too long' },
  '40001': CONTENDED,
  '40P01': CONTENDED,
  '53000': { reason: 'limit-reached', words: 'the database is short of resources' },
  '53100': DISK_FULL,
  '53200': OUT_OF_MEMORY,
  '53400': {
    reason: 'limit-reached',
    words: 'the database has reached a limit that is set for it',
  },
  '55P03': { reason: 'locked', words: 'what is to be read or written is locked in the database' },
  '57000': { reason: 'interrupted', words: 'the database was told to end the statement' },
  '58000': STORAGE,
  '58030': STORAGE,
  '58P01': STORAGE,
  // Tenure's own trigger raises this code: see migrations/0048_cell_move.sql.
  TN002: {
    reason: 'moving',
    words: 'the provider moves to another cell, and nothing is written here',
  },
  XX001: DAMAGED,
  XX002: DAMAGED,
};

/** Recognised by its message, because PostgreSQL has no separate SQLSTATE for this condition. */
const WRAPAROUND = /not accepting commands .*wraparound/iu;
const OUT_OF_IDS: Outage = {
  reason: 'read-only',
  words: 'the database has no transaction ids left and takes no writes until it is vacuumed',
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
    'See why it takes no writes: default_transaction_read_only, a failover under way, or a provider that has locked it.',
  'disk-full': 'Free space on its disk, or give it a larger one.',
  'out-of-memory':
    'Give it memory, or lower work_mem, max_connections or max_locks_per_transaction.',
  'limit-reached': 'See in its log which limit it is, and raise it.',
  locked: 'See in pg_stat_activity and pg_locks who holds the lock, and end that.',
  contended: 'See in its log which transactions meet.',
  interrupted: 'See what transaction_timeout and idle_in_transaction_session_timeout are set to.',
  moving: 'See `tenure cell status`, and docs/SCALING.md on moving a provider.',
  'notify-full':
    'End the session that listens and is idle in a transaction: see pg_stat_activity for the oldest xact_start.',
  'storage-failing': 'See its log and the disk that its data is on; have a backup at hand.',
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
  const where = targetOf(url)?.where ?? 'an unreadable address';
  return new DatabaseOutageError(outage, where, { cause: error });
}
