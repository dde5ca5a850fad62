/** Every way the embedded server can fail to be there. Callers show `message` and exit; tests look at `code`. */
export type EmbeddedPostgresErrorCode =
  /** No server binaries exist for this operating system, processor or C library. */
  | 'PLATFORM_UNSUPPORTED'
  /** The binary package is not installed, or what is installed does not run. */
  | 'BINARIES_UNUSABLE'
  /** Another live process has the data folder. */
  | 'DATA_DIR_HELD'
  /** The data folder cannot be written, or holds something that is not ours. */
  | 'DATA_DIR_UNUSABLE'
  /** The data was written by another major version of PostgreSQL. */
  | 'DATA_DIR_VERSION'
  | 'PORT_TAKEN'
  | 'INIT_FAILED'
  | 'START_FAILED'
  | 'START_TIMEOUT';

/** `message` is one line for a person, says what to do where there is something to do, and holds no secret. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), options);
    this.code = code;
  }
}

/** True for an error of the operating system with one of these codes (`ENOENT`, …). */
export function hasSystemCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
