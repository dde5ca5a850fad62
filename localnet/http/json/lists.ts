import { LedgerError } from '../../ledger/ledger-error.ts';

/** The default maximum number of elements, which is the same as a participant's. */
const ELEMENTS_MAX = 200;
/** The idle time after which the list of an endless stream is considered complete. */
const IDLE_MS = 500;

export interface ListOptions {
  /** The maximum number of elements that the caller wants. */
  readonly limit: number | undefined;
  /** The idle time that the caller wants, milliseconds. */
  readonly idleMs: number | undefined;
  readonly isOpenEnded: boolean;
  /** Ends the stream. */
  readonly end: () => void;
}

/**
 * Collects a stream's elements in a list, until the stream ends, the limit is reached, or no element arrives during the
 * idle time. Throws JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED if there are more elements than a list may have.
 */
export async function listOf(
  stream: AsyncIterable<unknown>,
  options: ListOptions,
): Promise<unknown[]> {
  const { limit = ELEMENTS_MAX + 1, idleMs, isOpenEnded, end } = options;
  const countMax = Math.min(limit, ELEMENTS_MAX + 1);
  // A negative duration counts as zero.
  const waitMs = idleMs === undefined ? (isOpenEnded ? IDLE_MS : undefined) : Math.max(0, idleMs);
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
  // The idle time may end before the read does. A later failure of the read does not affect the list.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}
