import { ProblemError } from './problem.ts';
import type { Transport } from './transport.ts';
import { backoffMs, queryOf, sleep } from './transport.ts';

/* Follows the event stream with `fetch`, which can send a token; a browser's `EventSource` cannot. */

/** A connection without data for this long is closed. The server sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000;
const RECONNECT_MS = 1_000;

/** An event in the format CloudEvents 1.0. */
export interface TenureEvent {
  readonly id: string;
  /** The type, such as `tenure.operation.succeeded`. */
  readonly type: string;
  readonly time: string;
  readonly subject?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `gap` stands for events that the server has deleted. */
export type Told =
  | { readonly kind: 'event'; readonly id: string; readonly event: TenureEvent }
  | { readonly kind: 'gap'; readonly id: string };

export interface EventsQuery {
  /** The id of the event after which to begin. Absent: only new events are sent. */
  readonly after?: string;
  /** Only events of these types, such as `tenure.lifecycle.*`. */
  readonly types?: readonly string[];
  readonly lifecycleId?: string;
  readonly signal?: AbortSignal | undefined;
}

interface Message {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** Parses an event stream (WHATWG HTML, 9.2.6). */
export class EventParser {
  #rest = '';
  #isStarted = false;
  #id = '';
  #event = '';
  #data: string[] = [];

  push(text: string): Message[] {
    const whole = this.#rest + (this.#isStarted ? text : text.replace(/^\uFEFF/u, ''));
    this.#isStarted ||= text !== '';
    // A carriage return at the end of a part may be the first half of a line end.
    const lines = whole.split(/\r\n|\n|\r(?!$)/u);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): Message[] {
    if (line === '') return this.#dispatch();
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #dispatch(): Message[] {
    const message = {
      event: this.#event === '' ? 'message' : this.#event,
      data: this.#data.join('\n'),
      id: this.#id,
    };
    const hasData = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    return hasData ? [message] : [];
  }
}

/** Closes a connection that has been without data for too long. */
class Silence {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #connection: AbortController;

  constructor(connection: AbortController) {
    this.#connection = connection;
    this.broken();
  }

  broken(): void {
    this.over();
    this.#timer = setTimeout(() => this.#connection.abort(new Error('silence')), SILENCE_MS);
  }

  over(): void {
    clearTimeout(this.#timer);
  }
}

async function* messagesIn(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Message> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    silence.broken();
    yield* parser.push(decoder.decode(value, { stream: true }));
  }
}

/** Yields the events of one connection until it ends. @throws ProblemError; another error if the connection is lost */
async function* connect(
  transport: Transport,
  { types = [], lifecycleId, signal }: EventsQuery,
  after: string | undefined,
): AsyncGenerator<Message | 'open'> {
  const connection = new AbortController();
  const silence = new Silence(connection);
  const end = (): void => connection.abort(signal?.reason);
  signal?.addEventListener('abort', end);
  try {
    const type = types.length === 0 ? undefined : types.join(',');
    const { body } = await transport.once({
      method: 'GET',
      path: '/events',
      query: queryOf({ type, lifecycleId, after, positions: true }),
      headers: { accept: 'text/event-stream, application/problem+json' },
      signal: connection.signal,
      repeats: 'limited',
      tryMs: Infinity,
    });
    if (body === null) return;
    yield 'open';
    yield* messagesIn(body, silence);
  } finally {
    silence.over();
    signal?.removeEventListener('abort', end);
    connection.abort();
  }
}

function toldIn({ event, data, id }: Message): Told | null {
  if (event === 'gap') return { kind: 'gap', id };
  if (event !== 'message') return null;
  return { kind: 'event', id, event: JSON.parse(data) as TenureEvent };
}

/**
 * Follows the stream, and reconnects when a connection ends. `open` and `lost` report the state of the connection.
 *
 * @throws ProblemError if the stream is refused; the signal's reason if it was aborted
 */
export async function* followEvents(
  transport: Transport,
  query: EventsQuery,
): AsyncGenerator<Told | 'open' | 'lost', never> {
  let after = query.after;
  for (let tries = 0; ; tries += 1) {
    let waitMs = 0;
    query.signal?.throwIfAborted();
    try {
      for await (const message of connect(transport, query, after)) {
        tries = 0;
        if (message === 'open') {
          yield message;
          continue;
        }
        after = message.id;
        const told = toldIn(message);
        if (told !== null) yield told;
      }
    } catch (error) {
      query.signal?.throwIfAborted();
      if (error instanceof ProblemError && !error.isPassing) throw error;
      waitMs = error instanceof ProblemError ? (error.retryAfterS ?? 0) * 1_000 : 0;
    }
    yield 'lost';
    await sleep(Math.max(waitMs, RECONNECT_MS, backoffMs(tries)), query.signal);
  }
}
