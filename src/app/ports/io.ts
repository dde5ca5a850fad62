/** Bounds of a call that leaves the process. */
export interface Io {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** Structured log lines; the adapter is pino. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
