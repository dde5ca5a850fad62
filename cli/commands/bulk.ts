import { setTimeout as sleep } from 'node:timers/promises';
import { isCancel, text as ask } from '@clack/prompts';
import type { JsonRecord } from '../../src/domain/json.ts';
import type { Api } from '../api/client.ts';
import { FILTER } from '../api/filter.ts';
import { readExactly, renderOne } from '../api/render.ts';
import type { Flags } from '../api/run.ts';
import { apiOf, givenOf, screenOf, tell } from '../api/run.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Progress } from '../progress.ts';
import { progressLine } from '../progress.ts';

export interface BulkFlags extends Flags {
  readonly reason: string;
  readonly decision?: string;
  readonly confirm?: number;
  /** Whether to wait for the end of the act; false with `--no-wait`. */
  readonly wait: boolean;
}

interface Preview {
  readonly count: number;
  readonly token: string;
}

interface Act {
  readonly id: string;
  readonly state: string;
  readonly count: number;
  readonly done: number;
  readonly refused: number;
  readonly left: number;
  readonly finishedAt?: string;
}

const POLL_MS_MIN = 200;
const POLL_MS_MAX = 2_000;
/** The number of consecutive requests that may fail while the command waits, because the API may be restarting. */
const MISSES_MAX = 10;

/** Asks the person to type the number of operations. @returns that number, or `null` without a confirmation */
async function confirmed(action: string, count: number): Promise<number | null> {
  const given = await ask({ message: `To ${action} them, type their number: ${count}` });
  return !isCancel(given) && given.trim() === String(count) ? count : null;
}

/** Prints the preview without its token, which is only for programs. */
function tellPreview(text: string): void {
  const { token: _token, ...told } = readExactly(text) as JsonRecord;
  console.log(renderOne(told, screenOf(process.stdout)));
}

const actIn = (text: string): Act => JSON.parse(text) as Act;

/** Polls a bulk act until it has ended. @returns the last answer about it; `null` if the person interrupted */
async function watch(
  api: Api,
  id: string,
  shown: Progress,
  signal: AbortSignal,
): Promise<string | null> {
  let pauseMs = POLL_MS_MIN;
  let misses = 0;
  while (!signal.aborted) {
    try {
      const { text } = await api.call({ method: 'GET', path: `/ops/acts/${id}` });
      misses = 0;
      const act = actIn(text);
      if (act.finishedAt !== undefined) return text;
      const { done, refused, count } = act;
      shown.tell(`${done + refused} of ${count}, ${refused} refused`);
    } catch (error) {
      const isPassing = error instanceof CommandError && error.exitCode === EXIT.cannot;
      misses += 1;
      if (!isPassing || misses > MISSES_MAX) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, POLL_MS_MAX);
  }
  return null;
}

async function follow(
  api: Api,
  applied: string,
  flags: BulkFlags,
  signal: AbortSignal,
): Promise<void> {
  const { id } = actIn(applied);
  const shown = progressLine(flags);
  const ended = await watch(api, id, shown, signal).finally(shown.clear);
  if (ended === null) {
    const how = `tenure ops acts ${id}; to end it: tenure ops stop ${id} --reason …`;
    throw new CommandError(
      EXIT.interrupted,
      `the bulk action continues in the background. To follow it: ${how}`,
    );
  }
  tell([ended], flags);
  const { done, count } = actIn(ended);
  // The exit code shows that some operations were refused when it was their turn.
  if (done < count) process.exitCode = EXIT.cannot;
}

/** Begins the bulk act. If the answer is lost, it is not known whether the act has begun. */
async function begin(api: Api, token: string, count: number): Promise<string> {
  try {
    const path = '/ops/operations/apply';
    return (await api.call({ method: 'POST', path, body: { token, count } })).text;
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT.cannot) throw error;
    const message = `${error.message} Run tenure ops acts to see whether the bulk action was started.`;
    throw new CommandError(EXIT.cannot, message);
  }
}

async function apply(api: Api, token: string, count: number, flags: BulkFlags): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  // The act is recorded, so Ctrl-C cannot undo it and must not hide its ID.
  process.once('SIGINT', stop);
  try {
    const applied = await begin(api, token, count);
    if (flags.wait) await follow(api, applied, flags, stopping.signal);
    else tell([applied], flags);
  } finally {
    process.removeListener('SIGINT', stop);
  }
}

/**
 * Returns the number of operations that the person or script has confirmed; `null` without a confirmation. @throws
 * CommandError
 */
async function countOf(action: string, preview: Preview, flags: BulkFlags): Promise<number | null> {
  const { confirm } = flags;
  if (confirm !== undefined) {
    if (confirm === preview.count) return confirm;
    const message = `the filter now matches ${preview.count} operations, not ${confirm}; nothing was done`;
    throw new CommandError(EXIT.refused, message);
  }
  const isWatched = process.stdin.isTTY && process.stdout.isTTY && flags.json !== true;
  return isWatched && preview.count > 0 ? confirmed(action, preview.count) : null;
}

/**
 * Applies an act to all operations of a filter. Shows a preview, and carries the act out once its count is confirmed by
 * a person or by `--confirm <count>`. Without a confirmation it is only a preview.
 */
export async function bulk(action: string, flags: BulkFlags): Promise<void> {
  const api = await apiOf(flags);
  const { reason, decision } = flags;
  const body: JsonRecord = {
    action,
    ...(decision === undefined ? {} : { decision }),
    filter: givenOf({ options: FILTER }, flags),
    reason,
  };
  const asked = { method: 'POST', path: '/ops/operations/preview', body } as const;
  const { text } = await api.call(asked);
  const preview = JSON.parse(text) as Preview;
  // With --json only one document is printed: the act or, without a confirmation, the preview.
  if (flags.json !== true) tellPreview(text);
  else if (flags.confirm === undefined) tell([text], flags);
  const count = await countOf(action, preview, flags);
  if (count === null) {
    if (preview.count === 0)
      return console.error('No operation matches the filter: nothing was done.');
    console.error(`Nothing was done. To start the action, add --confirm ${preview.count}`);
    return undefined;
  }
  await apply(api, preview.token, count, flags);
}
