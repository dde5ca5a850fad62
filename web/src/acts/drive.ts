import type { components } from '../api/schema.ts';
import type { Written } from '../api/client.ts';
import { read, write } from '../api/client.ts';
import { ProblemError, busyWords } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { asSentence } from '../parts/words.ts';
import type { Command } from './command-store.ts';
import { commands, findCommand, isOpenCommand, putCommand } from './command-store.ts';

/* Drives commands to their end: sends each until it is answered, and follows what is recorded until it is over. */

type Operation = components['schemas']['Operation'];

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 15_000;
/** Poll interval of an operation in progress. Usually an event reports the end earlier. */
const LOOK_MS = 2_000;
/** How long the server may wait for the outcome before it answers `202`. */
const WAIT_S = 5;

const driven = new Set<string>();
const nudges = new Map<string, () => void>();

/** Waits, or until there is news of the command. */
function pause(commandId: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      nudges.delete(commandId);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    nudges.set(commandId, done);
    addEventListener('online', done, { once: true });
  });
}

/** There is news of a command: its driver looks now. */
export const nudge = (commandId: string): void => nudges.get(commandId)?.();

/** A command after a try or a look, and for how long nothing may be sent. */
interface Step {
  readonly command: Command;
  readonly leastMs: number;
}

const ended = (command: Command, over: Partial<Command>): Command => ({
  ...command,
  waiting: null,
  endedAtMs: Date.now(),
  ...over,
});

const isOperation = (body: unknown): body is Operation =>
  typeof body === 'object' && body !== null && 'state' in body && 'attempts' in body;

/** Returns a sentence about what an operation waits for. */
const waitingIn = ({ waitingFor }: Operation): string | null =>
  waitingFor === undefined || waitingFor === null ? null : asSentence(waitingFor.detail);

function afterAnswer(command: Command, { status, body }: Written): Command {
  if (status !== 202) return ended(command, { state: 'succeeded', result: body });
  const waiting = isOperation(body) ? waitingIn(body) : null;
  return { ...command, state: 'accepted', waiting };
}

const WAITS: Readonly<Record<number, string>> = {
  401: 'Your session ended. Sign in, and it goes on.',
  403: 'The session is another one by now. The command is repeated.',
  503: 'The server is not available. The command is repeated.',
};

/** Returns what a command waits for after an answer that decides nothing. */
function waitingWords({ status, retryAfterS }: ProblemError): string {
  if (status === 429) return `${busyWords(retryAfterS)} The command is repeated then.`;
  return WAITS[status] ?? 'The server failed. The command is repeated.';
}

/**
 * Returns the command after a refusal: ended, or to be repeated. After an end the person may ask again under another
 * command ID, so a refusal that proves nothing about an earlier request is no end.
 */
function afterError(command: Command, error: unknown): Command {
  if (!(error instanceof ProblemError)) {
    return { ...command, waiting: 'No connection to the server. The command is repeated.' };
  }
  if (error.isPassing || error.status === 401) {
    return { ...command, waiting: waitingWords(error) };
  }
  const problem =
    error.problem ?? ({ code: error.code, detail: error.message, title: error.message } as Problem);
  return ended(command, { state: 'failed', problem });
}

/** How long the server wants to be left alone, in milliseconds. */
const askedMs = (error: unknown): number =>
  error instanceof ProblemError ? (error.retryAfterS ?? 0) * 1_000 : 0;

async function send(command: Command): Promise<Step> {
  const glue = command.url.includes('?') ? '&' : '?';
  const url = `${command.url}${glue}commandId=${encodeURIComponent(command.commandId)}`;
  try {
    const answer = await write({
      method: command.method,
      url,
      body: command.body ?? {},
      headers: { prefer: `respond-async, wait=${WAIT_S}` },
    });
    return { command: afterAnswer(command, answer), leastMs: 0 };
  } catch (error) {
    return { command: afterError(command, error), leastMs: askedMs(error) };
  }
}

function afterLook(command: Command, operation: Operation): Command {
  const { state, result, error } = operation;
  if (state === 'succeeded') {
    return ended(command, { state: 'succeeded', result: result?.body ?? null });
  }
  if (state === 'rejected' || state === 'failed' || state === 'cancelled') {
    return ended(command, { state: 'failed', problem: error ?? null });
  }
  return { ...command, waiting: waitingIn(operation) };
}

/**
 * A command without an answer for this long is only looked up and no longer sent automatically: the person may not want
 * it any more.
 */
const REPEATABLE_MS = 24 * 60 * 60_000;

/** The server keeps command IDs for ever, so it has never recorded this one, or its data was replaced. */
const NOT_KNOWN = {
  code: 'OPERATION_NOT_FOUND',
  title: 'The server does not know this command',
  detail:
    'It is too old to be sent without being asked for, or the server’s data was replaced. Look at what is there now.',
} as Problem;

async function look(command: Command): Promise<Step> {
  try {
    const asked = { query: { commandId: command.commandId } };
    const { data } = await read('/operations', asked, new AbortController().signal);
    return { command: afterLook(command, data), leastMs: 0 };
  } catch (error) {
    const isUnknown = error instanceof ProblemError && error.status === 404;
    const known = { ...command, waiting: null };
    return {
      command: isUnknown ? ended(command, { state: 'failed', problem: NOT_KNOWN }) : known,
      leastMs: askedMs(error),
    };
  }
}

const isRepeatable = ({ madeAtMs }: Command): boolean => Date.now() - madeAtMs < REPEATABLE_MS;

async function drive(first: Command): Promise<void> {
  let command = first;
  for (let waitMs = RETRY_MS; isOpenCommand(command);) {
    const before = command.state;
    const isSent = command.state === 'sending' && isRepeatable(command);
    const step = await (isSent ? send(command) : look(command));
    command = step.command;
    // The command was dismissed by the person, or removed by another sign-in.
    if (findCommand(command.commandId) === undefined) return;
    putCommand(command);
    if (!isOpenCommand(command)) return;
    if (command.state !== before) waitMs = RETRY_MS;
    const nextMs = command.state === 'accepted' ? LOOK_MS : waitMs;
    await pause(command.commandId, Math.max(nextMs, step.leastMs));
    waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
  }
}

/** Goes on with a command in this tab, unless another tab does. */
async function driveOnce(command: Command): Promise<void> {
  const { commandId } = command;
  if (driven.has(commandId)) return;
  driven.add(commandId);
  try {
    if (!('locks' in navigator)) await drive(command);
    else {
      await navigator.locks.request(`tenure-command:${commandId}`, async () => {
        // Another tab may have changed the command since then.
        const now = findCommand(commandId);
        if (now !== undefined && isOpenCommand(now)) await drive(now);
      });
    }
  } finally {
    driven.delete(commandId);
  }
}

/** Keeps a command before its first try, and drives it. */
export function submit(command: Command): void {
  putCommand(command);
  void driveOnce(command);
}

/**
 * Continues the commands that earlier pages of this caller have left. Commands of other callers wait for those callers.
 */
export function resume(party: string): void {
  for (const command of commands.get()) {
    if (command.party === party && isOpenCommand(command)) void driveOnce(command);
  }
}
