import type { Change } from './change.ts';
import type { ChangeId, CommandId } from './ids.ts';
import { OWN_COMMAND_PREFIX, trusted } from './ids.ts';
import { LIMITS } from './limits.ts';

/*
 * Returns the command ID of a retry. A retry is a separate change. Its command ID names the *root*, the change that the
 * caller requested, even if a retry is retried. So two requests for the same retry have the same command ID.
 */

export const retryCommandId = (root: ChangeId, n: number): CommandId =>
  trusted<CommandId>(`${OWN_COMMAND_PREFIX}retry:${root}:${n}`);

/** Returns the command IDs of all retries that a change can have. */
export const retryCommandIds = (root: ChangeId): readonly CommandId[] =>
  Array.from({ length: LIMITS.retriesMax }, (_, i) => retryCommandId(root, i + 1));

const RETRY = /^tenure:retry:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9]\d{0,3})$/;

export interface RetryRef {
  readonly root: ChangeId;
  /** The number of the retry, beginning with 1. */
  readonly n: number;
}

/** Returns the root and the number in a retry's command ID; `null` for any other command ID. */
export function retryIn(commandId: CommandId): RetryRef | null {
  const [, root, n] = RETRY.exec(commandId) ?? [];
  return root === undefined ? null : { root: trusted<ChangeId>(root), n: Number(n) };
}

const numberOf = ({ commandId }: Change): number => retryIn(commandId)?.n ?? 0;

/** Returns the retries of one change, ordered by number. */
export const inRetryOrder = (retries: readonly Change[]): Change[] =>
  retries.toSorted((a, b) => numberOf(a) - numberOf(b));
