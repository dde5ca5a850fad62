import type { Change } from './change.ts';
import type { ChangeId, CommandId } from './ids.ts';
import { OWN_COMMAND_PREFIX, trusted } from './ids.ts';
import { LIMITS } from './limits.ts';

/*
 * A retry is a change of its own. Its command ID names the *root*, the change that the caller requested, also when a
 * retry is retried. So two requests for the same retry have the same command ID.
 */

export const retryCommandId = (root: ChangeId, n: number): CommandId =>
  trusted<CommandId>(`${OWN_COMMAND_PREFIX}retry:${root}:${n}`);

/** The command IDs of all retries that a change may have. */
export const retryCommandIds = (root: ChangeId): readonly CommandId[] =>
  Array.from({ length: LIMITS.retriesMax }, (_, i) => retryCommandId(root, i + 1));

const RETRY = /^tenure:retry:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9]\d{0,3})$/;

export interface RetryRef {
  readonly root: ChangeId;
  /** Counts from 1. */
  readonly n: number;
}

/** Returns the root and the number of the retry that a command ID names; `null` when the ID is no retry's. */
export function retryIn(commandId: CommandId): RetryRef | null {
  const [, root, n] = RETRY.exec(commandId) ?? [];
  return root === undefined ? null : { root: trusted<ChangeId>(root), n: Number(n) };
}

const numberOf = ({ commandId }: Change): number => retryIn(commandId)?.n ?? 0;

/** Retries of one change, the first one first. */
export const inRetryOrder = (retries: readonly Change[]): Change[] =>
  retries.toSorted((a, b) => numberOf(a) - numberOf(b));
