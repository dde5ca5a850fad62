import { QUEUE_LIMITS } from './limits.ts';
import { errorCode } from './queue-error.ts';
import { errorText } from '../domain/error-text.ts';

/** Where the queue reports; a pino logger is one. */
export interface QueueLog {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/**
 * Reports the complaints of a connection, which come in hundreds while a store is away: each kind is logged once per
 * `QUEUE_LIMITS.complaintMs`, with how many of it were left out since.
 */
export function complaintsTo(log: QueueLog, about: string): (error: unknown) => void {
  const seen = new Map<string, { sinceMs: number; leftOut: number }>();
  return (error) => {
    const kind = errorCode(error) ?? errorText(error).slice(0, 80);
    const nowMs = performance.now();
    const before = seen.get(kind);
    if (before !== undefined && nowMs - before.sinceMs < QUEUE_LIMITS.complaintMs) {
      before.leftOut += 1;
      return;
    }
    // Texts may hold job ids: kinds must not pile up.
    if (before === undefined && seen.size >= 64) seen.clear();
    seen.set(kind, { sinceMs: nowMs, leftOut: 0 });
    log.warn(
      { about, error: errorText(error), leftOut: before?.leftOut ?? 0 },
      'queue connection complains',
    );
  };
}
