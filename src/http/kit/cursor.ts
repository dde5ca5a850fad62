import type { CommentKey, ContractKey, ListKey } from '../../app/ports/views.ts';
import type { TimerKey } from '../../app/ports/policies.ts';
import type { LifecycleId } from '../../domain/ids.ts';
import { isContractId, isPartyString, isUuid, trusted } from '../../domain/ids.ts';
import type { DeliveryKey } from '../../app/ports/webhooks.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { isUtcInstant } from '../../domain/time.ts';
import { invalid } from './invalid.ts';
import { isStorable } from './json-body.ts';

const LIST_NO = /^\d{1,19}$/u;
export const INT64_MAX = 2n ** 63n - 1n;

export const written = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The cursor of a list of lifecycles. It is opaque to callers: its content may change from one release to the next. */
export const writeCursor = (key: ListKey): string => written([key.appUser, key.listNo, key.id]);

/** The cursor of a list of comments. */
export const writeCommentCursor = (key: CommentKey): string =>
  written([key.createdAt, key.contractId]);

export function parsed(cursor: string): unknown[] {
  try {
    const found: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Refuses a cursor that no list issued. @throws ProblemError `REQUEST_INVALID` */
export const foreign = (): never => invalid('cursor', 'is not one that a list has given');

/** Reads a cursor of a list of lifecycles. @throws ProblemError `REQUEST_INVALID` if Tenure cannot have issued it */
export function readCursor(cursor: string): ListKey {
  const [appUser, listNo, id] = parsed(cursor);
  if (
    typeof appUser === 'string' &&
    isPartyString(appUser) &&
    typeof listNo === 'string' &&
    LIST_NO.test(listNo) &&
    BigInt(listNo) <= INT64_MAX &&
    typeof id === 'string' &&
    isStorable(id) &&
    id.length <= HTTP_LIMITS.pathIdCharsMax
  ) {
    return { appUser, listNo, id };
  }
  return foreign();
}

/**
 * Reads the cursor of a list that is ordered by time and, for equal times, by ID.
 *
 * @throws ProblemError `REQUEST_INVALID` if no list issued the cursor
 */
export function readTimeAndId(
  cursor: string,
  isId: (text: string) => boolean,
): readonly [time: string, id: string] {
  const [time, id] = parsed(cursor);
  const isOurs =
    typeof time === 'string' && isUtcInstant(time) && typeof id === 'string' && isId(id);
  return isOurs ? [time, id] : foreign();
}

/** Whether a text may be the ID of a lifecycle. */
export const isLifecycleId = (text: string): text is LifecycleId =>
  isStorable(text) && text.length <= HTTP_LIMITS.pathIdCharsMax;

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readCommentCursor(cursor: string): CommentKey {
  const [createdAt, contractId] = readTimeAndId(cursor, isContractId);
  return { createdAt, contractId: trusted(contractId) };
}

/** The cursor of a list of contracts that represent no lifecycle. */
export const writeContractCursor = (key: ContractKey): string =>
  written([String(key.createdAtOffset), key.contractId]);

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readContractCursor(cursor: string): ContractKey {
  const [offset, contractId] = parsed(cursor);
  const isOurs =
    typeof offset === 'string' &&
    LIST_NO.test(offset) &&
    BigInt(offset) <= INT64_MAX &&
    typeof contractId === 'string' &&
    isContractId(contractId);
  return isOurs ? { createdAtOffset: BigInt(offset), contractId } : foreign();
}

/** The parts of a timer's key, as a list's cursor contains them. */
export const timerKeyOf = (key: TimerKey): readonly string[] => [key.lapsesAt, key.lifecycleId];

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readTimerCursor(cursor: string): TimerKey {
  const [lapsesAt, lifecycleId] = readTimeAndId(cursor, isLifecycleId);
  return { lapsesAt, lifecycleId: trusted(lifecycleId) };
}

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readDeliveryCursor(cursor: string): DeliveryKey {
  const [createdAt, id] = readTimeAndId(cursor, isUuid);
  return { createdAt, id };
}
