import { ask } from '../ask.ts';
import { runningLocalnet } from './token.ts';

export interface ControlOptions {
  /** The address of LocalNet's network port. Absent: that of the LocalNet which belongs to the running Tenure. */
  readonly url?: string;
}

const CALL_MS = 10_000;
/** The timeout of an upload. A hundred packages are read by each participant, and the machine may be busy. */
const UPLOAD_MS = 120_000;

const typeOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? 'application/json' : 'application/octet-stream';

/** Calls a control route of a running LocalNet. @throws Error with LocalNet's reason */
export async function askControl<Answer>(
  { url }: ControlOptions,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const base = url ?? (await runningLocalnet()).networkUrl;
  const patienceMs = body instanceof Uint8Array ? UPLOAD_MS : CALL_MS;
  const answer = await ask('LocalNet', `${base}/control${path}`, patienceMs, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': typeOf(body) }, body }),
  });
  if (answer.ok) return JSON.parse(answer.text) as Answer;
  throw new Error(`LocalNet answered ${answer.status}: ${answer.text}`);
}
