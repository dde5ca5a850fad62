import { table } from '../table.ts';
import { runningLocalnet } from './token.ts';

export interface ControlOptions {
  /** Of LocalNet's network port; absent: that of the running Tenure. */
  readonly url?: string;
}

interface Fault {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly matched: number;
  readonly struck: number;
}

const CALL_MS = 10_000;

async function ask<Answer>(
  { url }: ControlOptions,
  method: string,
  path: string,
  body?: string,
): Promise<Answer> {
  const base = url ?? (await runningLocalnet()).networkUrl;
  const answer = await fetch(`${base}/control/faults${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as Answer;
  throw new Error(`LocalNet answered ${answer.status}: ${text}`);
}

/** What goes wrong at this moment, and how often it has. */
export async function listFaults(options: ControlOptions): Promise<void> {
  const { faults } = await ask<{ faults: readonly Fault[] }>(options, 'GET', '');
  const rows = faults.map(({ id, kind, state, matched, struck }) => [
    id,
    kind,
    state,
    `${struck} of ${matched}`,
  ]);
  console.log(table(['ID', 'KIND', 'STATE', 'STRUCK'], rows));
}

/** @param json a fault or a script, as the control route takes it */
export async function addFault(json: string, options: ControlOptions): Promise<void> {
  const { id } = await ask<Fault>(options, 'POST', '', json);
  console.log(id);
}

/** @param id of a fault or a script; absent: all of them */
export async function clearFaults(id: string | undefined, options: ControlOptions): Promise<void> {
  const path = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  const { removed } = await ask<{ removed: number }>(options, 'DELETE', path);
  console.log(`${removed} removed`);
}
