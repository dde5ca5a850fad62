import { ProblemError } from '../../domain/problems.ts';
import { defectOfDatabaseUrl, hostsInWords, readDatabaseUrl } from './database-url.ts';

/** Why a database cannot be used. A fixed set of values, for tests and for health answers. */
export type UnreachableReason =
  | 'url-invalid'
  | 'host-unknown'
  | 'refused'
  | 'no-answer'
  | 'connection-lost'
  | 'login-refused'
  | 'database-missing'
  | 'connections-exhausted'
  | 'starting-or-stopping'
  | 'tls'
  | 'no-primary'
  | 'older-timeline'
  | 'pooler';

/**
 * Thrown if the database cannot be reached or refuses the login. `message` is one line with host, port and reason.
 * Neither the message nor `cause` contains the password.
 */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
  readonly reason: UnreachableReason;
  /** The first host if there are several. */
  readonly host: string;
  readonly port: number;
  /** The message without host and port. */
  readonly words: string;

  constructor(reason: UnreachableReason, target: Place, words: string, options?: ErrorOptions) {
    super(`cannot reach PostgreSQL at ${target.where}: ${words}`, options);
    this.reason = reason;
    this.host = target.host;
    this.port = target.port;
    this.words = words;
  }
}

interface Place {
  /** All hosts, in words for people. */
  readonly where: string;
  readonly host: string;
  readonly port: number;
}

interface Target extends Place {
  readonly database: string;
  readonly user: string;
}

const UNKNOWN: Target = {
  where: 'an address that cannot be parsed',
  host: '',
  port: 0,
  database: '',
  user: '',
};

type Finding = readonly [UnreachableReason, (target: Target) => string];

/**
 * Reasons by the operating system's error code or by the SQLSTATE of a refused login. All other codes mean that the
 * database was reached.
 */
const BY_CODE: Readonly<Record<string, Finding | undefined>> = {
  ECONNREFUSED: ['refused', () => 'no server listens at this address'],
  ENOENT: ['refused', () => 'the socket file does not exist'],
  EACCES: ['refused', () => 'the operating system denies access to the socket'],
  ENOTFOUND: ['host-unknown', () => 'the host name does not exist in DNS'],
  EAI_AGAIN: ['host-unknown', () => 'the DNS lookup of the host name failed'],
  EHOSTUNREACH: ['no-answer', () => 'there is no route to the host'],
  ENETUNREACH: ['no-answer', () => 'there is no route to the network'],
  ETIMEDOUT: ['no-answer', () => 'the server did not answer in time'],
  ECONNRESET: ['connection-lost', () => 'the connection was reset'],
  EPIPE: ['connection-lost', () => 'the connection was closed'],
  '08001': ['connection-lost', () => 'the connection could not be opened'],
  '08004': ['login-refused', () => 'the server rejects the connection'],
  '08000': ['connection-lost', () => 'the connection failed'],
  '08003': ['connection-lost', () => 'the connection does not exist'],
  '08006': ['connection-lost', () => 'the connection failed'],
  '57P01': ['connection-lost', () => 'the server closed the connection'],
  '57P02': ['connection-lost', () => 'the server restarts after a crash'],
  '57P05': ['connection-lost', () => 'the server closed an idle connection'],
  '57P04': ['database-missing', ({ database }) => `database "${database}" was dropped`],
  '57P03': ['starting-or-stopping', () => 'the server is starting or stopping'],
  '28000': ['login-refused', ({ user }) => `the server does not allow user "${user}" to connect`],
  '28P01': ['login-refused', ({ user }) => `the server rejects user "${user}" or the password`],
  '3D000': ['database-missing', ({ database }) => `database "${database}" does not exist`],
  '53300': ['connections-exhausted', () => 'the server has no free connection'],
};

/** Reasons by message, for errors to which the driver gives no code. */
const BY_MESSAGE: readonly (readonly [RegExp, Finding])[] = [
  [
    /timeout expired|connection timeout|timeout exceeded when trying to connect/,
    ['no-answer', () => 'the server did not answer in time'],
  ],
  [
    /Connection terminated|not queryable/,
    ['connection-lost', () => 'the connection was interrupted'],
  ],
  [
    /client password must be/,
    ['login-refused', () => 'the server asks for a password, but the URL contains none'],
  ],
  [
    /unsupported startup parameter/,
    [
      'pooler',
      () =>
        'the URL leads to a connection pooler that refuses session settings; connect directly to the PostgreSQL server',
    ],
  ],
  [
    /SSL connection/,
    ['tls', () => 'Tenure and the server could not agree on TLS; check sslmode in the URL'],
  ],
];

/** Advice for reasons that starting the server or correcting the address does not remove. */
const ADVICE: Readonly<Partial<Record<UnreachableReason, string>>> = {
  'connections-exhausted': 'Close other connections to the database, or raise max_connections.',
  'starting-or-stopping': 'Wait until the server has started; if it does not start, read its log.',
  'no-primary':
    'Promote a standby or start the primary; the log of each server shows why it is not the primary.',
  'older-timeline':
    'Make the old server a standby of the promoted server (pg_rewind, or a new base backup); see docs/RELIABILITY.md. ' +
    'If you restored an older copy on purpose, delete database-timelines.json from the data folder.',
  pooler: 'Set DATABASE_URL to the PostgreSQL server itself, or to a pooler in session mode.',
  'login-refused':
    'Correct the user or password in DATABASE_URL, or allow the user to connect (pg_hba.conf).',
};

/** Returns one sentence of advice for the administrator of the database. */
export const adviceOf = (error: unknown): string =>
  (error instanceof DatabaseUnreachableError ? ADVICE[error.reason] : undefined) ??
  'Start the PostgreSQL server, or correct DATABASE_URL.';

/**
 * Translates an error of the driver.
 *
 * @param url the URL of the connection; may contain a password
 * @returns `null` for an error from a database that was reached, such as a constraint violation
 */
export function asUnreachable(error: unknown, url: string): DatabaseUnreachableError | null {
  if (error instanceof DatabaseUnreachableError) return error;
  const finding = findingOf(error);
  if (finding === null) return null;
  const target = targetOf(url) ?? UNKNOWN;
  return new DatabaseUnreachableError(finding[0], target, finding[1](target), { cause: error });
}

/**
 * @throws DatabaseUnreachableError for a URL that is not a PostgreSQL URL. The message omits the URL, which may hold a
 * password.
 */
export function assertDatabaseUrl(url: string): void {
  const defect = defectOfDatabaseUrl(url);
  if (defect === null) return;
  throw new DatabaseUnreachableError('url-invalid', UNKNOWN, `the database URL ${defect}`);
}

function findingOf(error: unknown): Finding | null {
  // If a host has several addresses, each was refused for the same reason, so the first reason is enough.
  if (error instanceof AggregateError) {
    const [first] = error.errors.map(findingOf).filter((finding) => finding !== null);
    return first ?? null;
  }
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  const found = BY_CODE[code];
  if (found !== undefined || isRefusal(error, code)) return found ?? null;
  return BY_MESSAGE.find(([words]) => words.test(error.message))?.[1] ?? null;
}

/**
 * Matches an SQLSTATE outside class 08. Class 08 concerns connections, and poolers use it for errors that can be told
 * apart only by their messages.
 */
const OF_STATEMENT = /^(?!08)[0-9A-Z]{5}$/u;

/**
 * Whether an error refuses a statement. Its message must not be examined, because it may quote a caller's text, such as
 * a command's name or a value of a row.
 */
const isRefusal = (error: Error, code: string): boolean =>
  error instanceof ProblemError || OF_STATEMENT.test(code);

/** Returns the hosts, the database and the user of a URL; `null` if the URL cannot be parsed. */
export function targetOf(url: string): Target | null {
  const address = readDatabaseUrl(url);
  const [first] = address?.hosts ?? [];
  if (address === null || first === undefined) return null;
  return { ...first, where: hostsInWords(address), database: address.database, user: address.user };
}
