import type { components } from '../../../client/schema.ts';
import type { Written } from '../api/client.ts';
import { read, write } from '../api/client.ts';
import { ProblemError, busyWords } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { asSentence } from '../parts/words.ts';
import type { Command } from './command-store.ts';
import { commands, findCommand, isOpenCommand, putCommand } from './command-store.ts';

/* Sends each command until the server answers, and follows the recorded operation until it ends. */

type Operation = components['schemas']['Operation'];

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 15_000;
/** Poll interval of an operation in progress. Usually an event reports the end earlier. */
const LOOK_MS = 2_000;
/** How long the server may wait for the outcome before it answers `202`. */
const WAIT_S = 5;

const driven = new Set<string>();
const nudges = new Map<string, () => void>();

/** Waits for a time, or until an event reports a change of the command or the browser is online again. */
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

/** Makes the command's loop check now, because an event has reported a change. */
export const nudge = (commandId: string): void => nudges.get(commandId)?.();

/** A command after a request or a check, and the minimum time before its next request. */
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
  401: 'Your session ended. Sign in to continue the command.',
  403: 'Your session has changed. The command is sent again.',
  503: 'The server is not available. The command is sent again.',
};

/** Returns what a command waits for, in words, after an answer that leaves its outcome open. */
function waitingWords({ status, retryAfterS }: ProblemError): string {
  if (status === 429) return `${busyWords(retryAfterS)} The command is repeated then.`;
  return WAITS[status] ?? 'The server failed. The command is sent again.';
}

/**
 * Returns the command after an error: either ended, or to be repeated. After an end the person may try again under a
 * new command ID, so an error must not end the command if an earlier request may have taken effect.
 */
function afterError(command: Command, error: unknown): Command {
  if (!(error instanceof ProblemError)) {
    return { ...command, waiting: 'No connection to the server. The command is sent again.' };
  }
  if (error.isPassing || error.status === 401) {
    return { ...command, waiting: waitingWords(error) };
  }
  const problem =
    error.problem ?? ({ code: error.code, detail: error.message, title: error.message } as Problem);
  return ended(command, { state: 'failed', problem });
}

/** Returns for how many milliseconds the server wants no further request. */
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
 * The maximum age of a command without an answer that is sent again automatically. An older one is only looked up,
 * because the person may no longer want it.
 */
const REPEATABLE_MS = 24 * 60 * 60_000;

/**
 * The problem of a command that the server does not know. The server never deletes command IDs, so it has not recorded
 * this command, or its data was replaced.
 */
const NOT_KNOWN = {
  code: 'OPERATION_NOT_FOUND',
  title: 'The server does not know this command',
  detail:
    'The command is too old to be sent again without a confirmation, or the server’s data was replaced. Check the current state first.',
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
    // The person has dismissed the command, or another sign-in has removed it.
    if (findCommand(command.commandId) === undefined) return;
    putCommand(command);
    if (!isOpenCommand(command)) return;
    if (command.state !== before) waitMs = RETRY_MS;
    const nextMs = command.state === 'accepted' ? LOOK_MS : waitMs;
    await pause(command.commandId, Math.max(nextMs, step.leastMs));
    waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
  }
}

/** Continues a command in this tab, unless another tab does so already. */
async function driveOnce(command: Command): Promise<void> {
  const { commandId } = command;
  if (driven.has(commandId)) return;
  driven.add(commandId);
  try {
    if (!('locks' in navigator)) await drive(command);
    else {
      await navigator.locks.request(`tenure-command:${commandId}`, async () => {
        // Another tab may have changed the command in the meantime.
        const now = findCommand(commandId);
        if (now !== undefined && isOpenCommand(now)) await drive(now);
      });
    }
  } finally {
    driven.delete(commandId);
  }
}

/** Stores a command before the first request, and starts to send it. */
export function submit(command: Command): void {
  putCommand(command);
  void driveOnce(command);
}

/**
 * Continues the commands that earlier pages of this caller left unfinished. Commands of other callers stay untouched.
 */
export function resume(party: string): void {
  for (const command of commands.get()) {
    if (command.party === party && isOpenCommand(command)) void driveOnce(command);
  }
}
