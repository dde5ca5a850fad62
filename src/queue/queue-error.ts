/**
 * - `QUEUE_URL_INVALID`: the address cannot be understood.
 * - `QUEUE_UNREACHABLE`: nobody answers there, or it does not let us in.
 * - `QUEUE_CONNECTIONS_SHORT`: the server has not enough connections left for us.
 * - `QUEUE_UNSUITABLE`: it answers, but cannot hold our queue: too old, read-only, another kind of server.
 * - `QUEUE_START_TIMEOUT`: it answers too slowly to be used.
 */
export type QueueStartCode =
  | 'QUEUE_URL_INVALID'
  | 'QUEUE_UNREACHABLE'
  | 'QUEUE_CONNECTIONS_SHORT'
  | 'QUEUE_UNSUITABLE'
  | 'QUEUE_START_TIMEOUT';

/**
 * Queue or worker could not be started. Fatal: a BullMQ connection that failed once at start never recovers on
 * PostgreSQL, so the process has to end and be started again. The message is one line for the person who starts it
 * and holds no password.
 */
export class QueueStartError extends Error {
  override readonly name = 'QueueStartError';
  readonly code: QueueStartCode;
  constructor(code: QueueStartCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The queue did not take jobs now. Nothing is lost: the effects stay due. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';
}

/** The code that the operating system, PostgreSQL or ioredis put on an error, where there is one. */
export function errorCode(error: unknown): string | null {
  if (typeof error === 'object' && error !== null && 'code' in error) {
    return typeof error.code === 'string' ? error.code : null;
  }
  return null;
}

/**
 * An address without what must not be logged: user, password, and settings, among which may be either. Addresses of
 * several nodes are none that `URL` would take.
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
