import type { TenantCaller } from '../../domain/turns.ts';

/** Kinds of work that have their own database connections: see `ConnectionShares`. */
export type ShareName = 'reads' | 'writes' | 'engine' | 'probes';

/** The share of the database connections that a call uses, and the caller for which it waits for a turn. */
export interface Turn {
  readonly share: ShareName;
  readonly of: TenantCaller;
}

/** The abort signal and the deadline of a call that leaves the process. */
export interface Io {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** Absent for the engine's own calls. */
  readonly turn?: Turn;
}

/** Writes structured log lines; the adapter is pino. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
