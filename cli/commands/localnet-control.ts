import { runningLocalnet } from './token.ts';

export interface ControlOptions {
  /** Of LocalNet's network port; absent: that of the running Tenure. */
  readonly url?: string;
}

const CALL_MS = 10_000;

const typeOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? 'application/json' : 'application/octet-stream';

/** Asks a control route of a running LocalNet. @throws Error with LocalNet's reason */
export async function askControl<Answer>(
  { url }: ControlOptions,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const base = url ?? (await runningLocalnet()).networkUrl;
  const answer = await fetch(`${base}/control${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': typeOf(body) }, body }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as Answer;
  throw new Error(`LocalNet answered ${answer.status}: ${text}`);
}
