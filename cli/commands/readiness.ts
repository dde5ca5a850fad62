import type { RunState } from '../../src/main/run-state.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}

/** The readiness of a running Tenure, as its management port reports it. */
export interface Readiness {
  readonly status: 'ready' | 'not ready' | 'does not answer';
  readonly checks?: readonly Check[];
}

const ASK_MS = 3_000;

export async function askReadiness({
  managementUrl,
  apiUrl,
}: Pick<RunState, 'managementUrl' | 'apiUrl'>): Promise<Readiness> {
  try {
    const answer = await fetch(`${managementUrl ?? apiUrl}/readyz`, {
      signal: AbortSignal.timeout(ASK_MS),
    });
    const { checks } = (await answer.json()) as Pick<Readiness, 'checks'>;
    const status = answer.ok ? 'ready' : 'not ready';
    return { status, ...(checks === undefined ? {} : { checks }) };
  } catch {
    return { status: 'does not answer' };
  }
}

/** Returns a line for each failed check; empty if all is well. */
export const whyNotReady = ({ checks = [] }: Readiness): string[] =>
  checks.filter(({ ok }) => !ok).map(({ name, reason = 'no' }) => `  ${name}: ${reason}`);
