import type { Problem } from '../api/problem.ts';
import { signal } from '../signal.ts';

/*
 * Commands that this browser has sent. They are stored in `localStorage` before the first request. After a reload, a
 * closed tab or a lost connection, the next open tab continues with the command under the same command ID, and the API
 * answers a repeated command with the result of the first request.
 */

/**
 * The states of a command.
 *
 * - `sending`: sent repeatedly until the server answers.
 * - `accepted`: recorded by the server, and followed until it ends.
 * - `succeeded`, `failed`: final.
 */
export type CommandState = 'sending' | 'accepted' | 'succeeded' | 'failed';

export interface Command {
  readonly commandId: string;
  /** The party whose session sent the command. Other callers must not repeat it. */
  readonly party: string;
  /** The name of the command for people: "Renew licence 3". */
  readonly label: string;
  /** The message for a success, in the past tense. Commands of earlier releases have none. */
  readonly done?: string;
  readonly method: 'POST';
  /** The address without the command ID. */
  readonly url: string;
  readonly body: unknown;
  readonly madeAtMs: number;
  readonly state: CommandState;
  /** Why there is no answer yet, in words for people. */
  readonly waiting: string | null;
  readonly result: unknown;
  readonly problem: Problem | null;
  readonly endedAtMs: number | null;
}

const KEY = 'tenure.commands';
/** How long a command is shown after its end. */
const SHOWN_MS = 10 * 60_000;
const KEPT_MAX = 50;

const isRecord = (value: unknown): value is Command =>
  typeof value === 'object' && value !== null && 'commandId' in value && 'url' in value;

function stored(): readonly Command[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter(isRecord) : [];
  } catch {
    return [];
  }
}

/** All commands, oldest first. */
export const commands = signal<readonly Command[]>(stored());

const isOpen = ({ state }: Command): boolean => state === 'sending' || state === 'accepted';

function kept(all: readonly Command[]): readonly Command[] {
  const since = Date.now() - SHOWN_MS;
  const open = all.filter(isOpen);
  const ended = all.filter((one) => !isOpen(one) && (one.endedAtMs ?? 0) >= since);
  const chosen = new Set([...open, ...ended.slice(-KEPT_MAX)]);
  return all.filter((one) => chosen.has(one));
}

function store(next: readonly Command[]): void {
  const all = kept(next);
  localStorage.setItem(KEY, JSON.stringify(all));
  commands.set(all);
}

/** Adds a command, or replaces the command with the same ID. */
export function putCommand(command: Command): void {
  const all = stored();
  const at = all.findIndex(({ commandId }) => commandId === command.commandId);
  store(at === -1 ? [...all, command] : all.with(at, command));
}

export const findCommand = (commandId: string): Command | undefined =>
  stored().find((one) => one.commandId === commandId);

export function forgetCommand(commandId: string): void {
  store(stored().filter((one) => one.commandId !== commandId));
}

/**
 * Removes commands that have ended. Called at sign-out, because their bodies and results must not stay in the browser.
 */
export const forgetEnded = (): void => store(stored().filter(isOpen));

export const isOpenCommand = isOpen;

// Another tab has changed the stored commands.
addEventListener('storage', ({ key }) => {
  if (key === KEY) commands.set(stored());
});
