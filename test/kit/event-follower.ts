import type { EventStream } from './event-stream.ts';
import { openEventStream } from './event-stream.ts';

export interface FollowerOptions {
  /** Returns the current address of the API. */
  readonly apiUrl: () => string;
  readonly token: () => Promise<string>;
  /** The ID of the event after which the follower begins. */
  readonly after: string;
}

const AGAIN_MS = 100;

/** A client of `GET /events` that reconnects with the ID of the last event it has seen, as a browser does. */
export class EventFollower implements AsyncDisposable {
  readonly #options: FollowerOptions;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  /** The IDs of events, in the order in which they arrived. */
  readonly ids: string[] = [];
  /** How often the client has connected. */
  connections = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const stream = await this.#open().catch(() => null);
      if (stream?.status === 200) await this.#follow(stream);
      else stream?.close();
      await new Promise((again) => setTimeout(again, AGAIN_MS));
    }
  }

  async #open(): Promise<EventStream> {
    return openEventStream(`${this.#options.apiUrl()}/events`, {
      authorization: `Bearer ${await this.#options.token()}`,
      'last-event-id': this.ids.at(-1) ?? this.#options.after,
    });
  }

  async #follow(stream: EventStream): Promise<void> {
    this.connections += 1;
    const close = (): void => stream.close();
    this.#over.signal.addEventListener('abort', close, { once: true });
    const looking = setInterval(() => this.#take(stream), AGAIN_MS);
    await stream.ended;
    clearInterval(looking);
    this.#over.signal.removeEventListener('abort', close);
    this.#take(stream);
  }

  #taken = new WeakMap<EventStream, number>();

  #take(stream: EventStream): void {
    const from = this.#taken.get(stream) ?? 0;
    const { messages } = stream;
    this.#taken.set(stream, messages.length);
    this.ids.push(...messages.slice(from).map(({ id }) => id));
  }
}
