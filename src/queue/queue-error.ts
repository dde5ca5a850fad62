/**
 * - `QUEUE_URL_INVALID`: the address cannot be parsed.
 * - `QUEUE_UNREACHABLE`: no server answers at the address, or the server refuses the login.
 * - `QUEUE_CONNECTIONS_SHORT`: the server has too few connections left.
 * - `QUEUE_UNSUITABLE`: the server answers, but cannot hold the queue: too old, read-only, or another kind of server.
 * - `QUEUE_START_TIMEOUT`: the server answers too slowly to be used.
 */
export type QueueStartCode =
  | 'QUEUE_URL_INVALID'
  | 'QUEUE_UNREACHABLE'
  | 'QUEUE_CONNECTIONS_SHORT'
  | 'QUEUE_UNSUITABLE'
  | 'QUEUE_START_TIMEOUT';

/**
 * A queue or worker could not be started. Fatal: on PostgreSQL, a BullMQ connection whose start failed never recovers,
 * so the process must end and be restarted. The message is one line for the person who starts the process, and contains
 * no password.
 */
export class QueueStartError extends Error {
  override readonly name = 'QueueStartError';
  readonly code: QueueStartCode;
  constructor(code: QueueStartCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The queue currently accepts no jobs. Nothing is lost, because the effects stay due. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';
}

/** Returns the code that the operating system, PostgreSQL or ioredis set on an error, if there is one. */
export function errorCode(error: unknown): string | null {
  if (typeof error === 'object' && error !== null && 'code' in error) {
    return typeof error.code === 'string' ? error.code : null;
  }
  return null;
}

/**
 * Returns an address without the parts that must not be logged: user, password, and parameters, which may contain them.
 * Does not use `URL`, which cannot parse addresses with several nodes.
 */
export function withoutSecrets(address: string): string {
  if (address.startsWith('/')) return address.split('?')[0] ?? address;
  const many = /^([a-z+]+:\/\/)(?:[^@/]*@)?([^@/?#]+,[^@/?#]*)(\/[^@?#]*)?(?:[?#].*)?$/iu.exec(
    address,
  );
  if (many !== null) return many.slice(1).join('');
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^[a-z+]+:\/\//i.test(address)) return '(an address that cannot be parsed)';
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
