import type { Turn } from '../../app/ports/io.ts';
import { errorLine } from '../../domain/error-text.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { HTTP_LIMITS } from '../limits.ts';
import type { ReadinessCheck } from './deps.ts';
import { sharedReading } from './shared-reading.ts';

export interface Readiness {
  readonly isReady: boolean;
  readonly status: 'ready' | 'not ready';
  /** The body that the management port sends. */
  readonly body: JsonRecord;
}

const reasonOf = (error: unknown): string =>
  errorLine(error).slice(0, HTTP_LIMITS.readinessReasonCharsMax);

const PROBE: Turn = { share: 'probes', of: { party: '', subject: '' } };

async function run(check: ReadinessCheck): Promise<JsonRecord> {
  const over = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer within ${HTTP_LIMITS.readinessMs} ms`));
    over.abort();
  }, HTTP_LIMITS.readinessMs);
  // The async function turns a synchronous throw into a failed check.
  const asked = async () =>
    check.check({ signal: over.signal, deadlineMs: HTTP_LIMITS.readinessMs, turn: PROBE });
  try {
    await Promise.race([asked(), late.promise]);
    return { name: check.name, ok: true };
  } catch (error) {
    return { name: check.name, ok: false, reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the readiness checks. @param excluded names of checks that are reported, but do not affect the result */
export type AskReadiness = (excluded?: ReadonlySet<string>) => Promise<Readiness>;

function judge(found: readonly JsonRecord[], excluded: ReadonlySet<string>): Readiness {
  const isExcluded = ({ name }: JsonRecord): boolean =>
    typeof name === 'string' && excluded.has(name);
  const isReady = found.every((check) => check['ok'] === true || isExcluded(check));
  const checks = found.map((check) => (isExcluded(check) ? { ...check, excluded: true } : check));
  const status = isReady ? 'ready' : 'not ready';
  return { isReady, status, body: { status, checks } };
}

/** Runs all checks concurrently. Callers need no token, so all callers get the same results for a second. */
export function createReadiness(checks: readonly ReadinessCheck[]): AskReadiness {
  const round = sharedReading(() => Promise.all(checks.map(run)), HTTP_LIMITS.managementKeptMs);
  return async (excluded = new Set()) => judge(await round(), excluded);
}
