import { QUEUE_LIMITS } from './limits.ts';
import { errorCode } from './queue-error.ts';
import { errorText } from '../domain/error-text.ts';

/** The queue's logger; a pino logger can be used. */
export interface QueueLog {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/**
 * Logs connection failures, of which there are hundreds while a store is unreachable: each kind at most once per
 * `QUEUE_LIMITS.complaintMs`, with the number of omitted ones.
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
    // Messages may contain job IDs, so the number of remembered kinds must be limited.
    if (before === undefined && seen.size >= 64) seen.clear();
    seen.set(kind, { sinceMs: nowMs, leftOut: 0 });
    log.warn(
      { about, error: errorText(error), leftOut: before?.leftOut ?? 0 },
      'queue connection reports an error',
    );
  };
}
