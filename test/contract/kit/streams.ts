import type { CompletionStreamResponse } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { Completion } from '../../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import type {
  ArchivedEvent,
  CreatedEvent,
  Event,
  ExercisedEvent,
} from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type {
  GetUpdateResponse,
  GetUpdatesResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { UpdateFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { LedgerClients } from './clients.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

type Open<T> = (options: { signal: AbortSignal }) => AsyncIterable<T>;

/**
 * Reads a stream that may be endless until `enough` is true, and then cancels it. Fails if the stream ends or delivers
 * nothing before that.
 */
export async function readUntil<T>(
  open: Open<T>,
  enough: (seen: readonly T[]) => boolean,
): Promise<T[]> {
  await using tail = new Tail(open);
  await tail.until(enough);
  return [...tail.seen];
}

/** Reads a stream that ends without being cancelled. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const element of stream) seen.push(element);
  return seen;
}

/** A stream that is read in the background. Disposing of it cancels the call. */
export class Tail<T> implements AsyncDisposable {
  readonly seen: T[] = [];
  readonly #cancel = new AbortController();
  readonly #reading: Promise<void>;
  #ended: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(open: Open<T>) {
    this.#reading = this.#read(open);
  }

  async #read(open: Open<T>): Promise<void> {
    try {
      for await (const element of open({ signal: this.#cancel.signal })) {
        this.seen.push(element);
        this.#wake();
      }
      this.#ended = {};
    } catch (error) {
      this.#ended = { error };
    }
    this.#wake();
  }

  /**
   * Waits until `enough` is true for the elements that have arrived. @throws the stream's error if the stream ends
   * before
   */
  async until(enough: (seen: readonly T[]) => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!enough(this.seen)) {
      if (this.#ended !== undefined) {
        throw this.#ended.error ?? new Error(`stream ended after ${this.seen.length} elements`);
      }
      const leftMs = deadline - Date.now();
      if (leftMs <= 0)
        throw new Error(
          `stream gave ${this.seen.length} elements in ${PATIENCE_MS} ms, not those expected`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Waits for the end of the stream. @returns its error, or `undefined` if it ended normally */
  async end(): Promise<unknown> {
    const timeout = AbortSignal.timeout(PATIENCE_MS);
    await Promise.race([
      this.#reading,
      new Promise((_resolve, reject) => {
        timeout.addEventListener('abort', () => reject(new Error('stream did not end')), {
          once: true,
        });
      }),
    ]);
    return this.#ended?.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel.abort();
    await this.#reading;
  }
}

export const completionsIn = (responses: readonly CompletionStreamResponse[]): Completion[] =>
  responses.flatMap(({ completionResponse }) =>
    completionResponse?.$case === 'completion' ? [completionResponse.value] : [],
  );

/** Returns the offsets of the checkpoints in a stream of completions or updates. */
export const checkpointsIn = (
  responses: readonly (CompletionStreamResponse | GetUpdatesResponse)[],
): bigint[] =>
  responses.flatMap((response) => {
    const element =
      'update' in response
        ? response.update
        : 'completionResponse' in response
          ? response.completionResponse
          : undefined;
    return element?.$case === 'offsetCheckpoint' ? [element.value.offset] : [];
  });

/**
 * Returns a function that is true once a checkpoint shows that the stream has passed `offset`, so that no earlier
 * element can follow.
 */
export const hasPassed =
  (offset: bigint) =>
  (responses: readonly (CompletionStreamResponse | GetUpdatesResponse)[]): boolean =>
    checkpointsIn(responses).some((checkpoint) => checkpoint >= offset);

export const transactionsIn = (
  responses: readonly (GetUpdatesResponse | GetUpdateResponse)[],
): Transaction[] =>
  responses.flatMap(({ update }) => (update?.$case === 'transaction' ? [update.value] : []));

export const createdIn = (source: { readonly events: readonly Event[] }): CreatedEvent[] =>
  source.events.flatMap(({ event }) => (event?.$case === 'created' ? [event.value] : []));

export const archivedIn = (source: { readonly events: readonly Event[] }): ArchivedEvent[] =>
  source.events.flatMap(({ event }) => (event?.$case === 'archived' ? [event.value] : []));

export const exercisedIn = (source: { readonly events: readonly Event[] }): ExercisedEvent[] =>
  source.events.flatMap(({ event }) => (event?.$case === 'exercised' ? [event.value] : []));

/** Returns the transactions between two offsets, as these parties see them. */
export async function between(
  ledger: LedgerClients,
  beginExclusive: bigint,
  endInclusive: bigint,
  updateFormat: UpdateFormat,
  descendingOrder = false,
): Promise<Transaction[]> {
  const request = { beginExclusive, endInclusive, updateFormat, descendingOrder };
  return transactionsIn(await readAll(ledger.updates.getUpdates(request)));
}
