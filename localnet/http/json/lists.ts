import { LedgerError } from '../../ledger/ledger-error.ts';

/** A participant's own limit, unless its operator says otherwise. */
const ELEMENTS_MAX = 200;
/** So long nothing may come before the list of a stream that never ends is taken for complete. */
const IDLE_MS = 500;

export interface ListOptions {
  /** The caller's own limit. */
  readonly limit: number | undefined;
  /** The caller's own patience, in milliseconds. */
  readonly idleMs: number | undefined;
  readonly isOpenEnded: boolean;
  /** Ends the stream. */
  readonly end: () => void;
}

/**
 * The elements of a stream as a list: until it ends, the limit is reached, or nothing has come for a while.
 * JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED when there are more than a list may have.
 */
export async function listOf(
  stream: AsyncIterable<unknown>,
  options: ListOptions,
): Promise<unknown[]> {
  const { limit = ELEMENTS_MAX + 1, idleMs, isOpenEnded, end } = options;
  const countMax = Math.min(limit, ELEMENTS_MAX + 1);
  const waitMs = idleMs ?? (isOpenEnded ? IDLE_MS : undefined);
  const elements: unknown[] = [];
  const iterator = stream[Symbol.asyncIterator]();
  while (elements.length < countMax) {
    const next = iterator.next();
    const step = await (waitMs === undefined ? next : orIdle(next, waitMs));
    if (step === undefined || step.done === true) break;
    elements.push(step.value);
  }
  end();
  if (elements.length > ELEMENTS_MAX) {
    throw new LedgerError(
      'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
      `The number of matching elements (${elements.length}) is greater than the node limit (${ELEMENTS_MAX}).`,
    );
  }
  return elements;
}

async function orIdle<T>(next: Promise<T>, waitMs: number): Promise<T | undefined> {
  const idle = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => idle.resolve(undefined), waitMs);
  // The wait may be over before it ends, and then its failure is not the list's.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}
