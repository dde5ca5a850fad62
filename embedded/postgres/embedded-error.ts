/**
 * The reasons for which the embedded server can be unavailable. Callers show `message` and exit; tests check `code`.
 */
export type EmbeddedPostgresErrorCode =
  /** No server binaries exist for this operating system, processor or C library. */
  | 'PLATFORM_UNSUPPORTED'
  /** The binary package is not installed, or what is installed does not run. */
  | 'BINARIES_UNUSABLE'
  /** Another live process uses the data folder. */
  | 'DATA_DIR_HELD'
  /** The data folder cannot be written, or contains files of other programs. */
  | 'DATA_DIR_UNUSABLE'
  /** The data was written by another major version of PostgreSQL. */
  | 'DATA_DIR_VERSION'
  | 'PORT_TAKEN'
  | 'INIT_FAILED'
  | 'START_FAILED'
  | 'START_TIMEOUT';

/**
 * Thrown if the embedded server is unavailable. `message` is one line for a person: it says what to do if anything can
 * be done, and contains no secret.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), options);
    this.code = code;
  }
}

/** Returns whether an error comes from the operating system and has one of these codes (`ENOENT`, …). */
export function hasSystemCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
