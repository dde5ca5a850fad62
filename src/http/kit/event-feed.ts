import type { Io, Turn } from '../../app/ports/io.ts';
import type { EventLog, EventSpan } from '../../app/ports/event-log.ts';
import type { NumberedEvent } from '../../domain/event.ts';
import { isOfType } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';

/** The events that one follower receives. */
export interface EventFilter {
  /** Limits the events to those that the party may see; `null`: no limit, for the provider's operators. */
  readonly party: Party | null;
  /** Types and patterns such as `tenure.operation.*`; an empty list selects all. */
  readonly types: readonly string[];
  readonly lifecycleId: LifecycleId | null;
}

/** The next part for a follower. `upTo`: all events up to this number were sent or do not match the filter. */
export type Told =
  | { readonly kind: 'events'; readonly events: readonly NumberedEvent[]; readonly upTo: bigint }
  /** Events after `after` and up to `upTo` have been deleted. */
  | { readonly kind: 'gap'; readonly after: bigint; readonly upTo: bigint }
  | { readonly kind: 'quiet'; readonly upTo: bigint };

export interface EventFeedDeps {
  readonly log: Pick<EventLog, 'read' | 'span'>;
  /** Called if events could not be read; followers get them after the next poll. */
  readonly onError: (error: unknown) => void;
  /** Interval of heartbeats. @default HTTP_LIMITS.eventHeartbeatMs */
  readonly heartbeatMs?: number;
  /** A follower that reads nothing for this long is disconnected. @default HTTP_LIMITS.eventStallMs */
  readonly stallMs?: number;
}

/**
 * The caller in whose name followers' reads wait. Reads for followers that are behind run one after another, so all
 * followers wait as one caller.
 */
const FOLLOWERS: Turn = { share: 'reads', of: { party: 'followers', subject: '' } };

const isWanted = (event: NumberedEvent, { party, types, lifecycleId }: EventFilter): boolean =>
  (party === null || event.parties.includes(party)) &&
  (lifecycleId === null || event.lifecycleId === lifecycleId) &&
  isOfType(event.type, types);

/**
 * The events for all followers of this process. New events are read once for all followers and cached for a while. For
 * a follower that is further behind, pages are read separately, one at a time and for one follower after another. The
 * feed keeps only the position of each follower, so a slow follower costs nothing.
 */
export class EventFeed {
  readonly heartbeatMs: number;
  readonly stallMs: number;
  readonly #deps: EventFeedDeps;
  readonly #closing = new AbortController();
  readonly #recent: NumberedEvent[] = [];
  /** The cache has every event after `#from` up to `#last`. `#last` is `null` without followers. */
  #from = 0n;
  #last: bigint | null = null;
  #followers = 0;
  #news = Promise.withResolvers<void>();
  #poll: NodeJS.Timeout | null = null;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: EventFeedDeps) {
    this.#deps = deps;
    this.heartbeatMs = deps.heartbeatMs ?? HTTP_LIMITS.eventHeartbeatMs;
    this.stallMs = deps.stallMs ?? HTTP_LIMITS.eventStallMs;
  }

  /** The number of followers of this process. */
  get size(): number {
    return this.#followers;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Called when new events may have been numbered. */
  onNews(): void {
    if (this.#followers > 0) void this.#catchUp();
  }

  /** Ends all streams and accepts no more followers. */
  close(): void {
    this.#closing.abort();
    this.#news.resolve();
  }

  /** Returns the range of the stored events' numbers. @throws when the database cannot be queried */
  span(io: Io): Promise<EventSpan> {
    return this.#deps.log.span(io);
  }

  /**
   * Yields the events after a number, without end, and `quiet` after a while without events. Ends when the feed is
   * closed or the signal is aborted, and throws if the database cannot be read.
   */
  async *follow(
    after: bigint,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<Told, undefined> {
    this.#enter();
    try {
      let position = after;
      while (!signal.aborted && !this.isClosed) {
        const news = this.#news.promise;
        const told =
          this.#remembered(position, filter) ?? (await this.#read(position, filter, signal));
        if (told !== null) {
          position = told.upTo;
          yield told;
        } else if (await this.#isQuiet(news, signal)) {
          yield { kind: 'quiet', upTo: position };
        }
      }
    } finally {
      this.#leave();
    }
    return undefined;
  }

  #enter(): void {
    this.#followers += 1;
    this.#poll ??= setInterval(() => this.onNews(), LIMITS.eventPollMs).unref();
  }

  #leave(): void {
    this.#followers -= 1;
    if (this.#followers > 0) return;
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#poll = null;
    this.#last = null;
    this.#recent.length = 0;
  }

  /** Returns events from the cache; `null` if the cache does not reach back to the position, or has no newer event. */
  #remembered(position: bigint, filter: EventFilter): Told | null {
    if (this.#last === null || position < this.#from || position >= this.#last) return null;
    const from = Number(position - this.#from);
    const part = this.#recent.slice(from, from + HTTP_LIMITS.eventChunkMax);
    const upTo = position + BigInt(part.length);
    return { kind: 'events', events: part.filter((event) => isWanted(event, filter)), upTo };
  }

  /** Returns events from the database; `null` if the position is at the end of the cache. */
  async #read(position: bigint, filter: EventFilter, signal: AbortSignal): Promise<Told | null> {
    if (this.#last !== null && position === this.#last) return null;
    const mine = this.#turn.then(() => this.#readPage(position, filter, signal));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #readPage(
    position: bigint,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<Told | null> {
    if (signal.aborted || this.isClosed) return null;
    const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs, turn: FOLLOWERS };
    const { oldest, last } = await this.#deps.log.span(io);
    // A number above the newest event's comes from another database.
    if (position > last || position < oldest - 1n) {
      return { kind: 'gap', after: position, upTo: position > last ? last : oldest - 1n };
    }
    if (this.#last === null) this.#remember(last);
    if (position === last) return null;
    const far = position + BigInt(HTTP_LIMITS.eventSpanMax);
    const upTo = far < last ? far : last;
    const found = await this.#deps.log.read({ after: position, upTo, party: filter.party }, io);
    // Events that were deleted before the read above are simply missing from its result.
    const { oldest: since } = await this.#deps.log.span(io);
    if (position < since - 1n) return { kind: 'gap', after: position, upTo: since - 1n };
    const events = found.filter((event) => isWanted(event, filter));
    return { kind: 'events', events, upTo };
  }

  /** Empties the cache, which from then on collects the events after a number. */
  #remember(last: bigint): void {
    this.#recent.length = 0;
    this.#from = last;
    this.#last = last;
  }

  /** Reads new events into the cache. Only one read runs at a time; a notification during a read triggers another. */
  #catchUp(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readNews().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNews(): Promise<void> {
    const io: Io = { signal: this.#closing.signal, deadlineMs: LIMITS.databaseStatementMs };
    try {
      while (this.#isStale && this.#last !== null && !this.isClosed) {
        this.#isStale = false;
        const after = this.#last;
        const upTo = after + BigInt(HTTP_LIMITS.eventSpanMax);
        const found = await this.#deps.log.read({ after, upTo, party: null }, io);
        // A partial page ends with the newest event; later events cause a new notification.
        if (found.at(-1)?.seq === upTo) this.#isStale = true;
        if (this.#last === after) this.#keep(found);
      }
    } catch (error) {
      if (!this.isClosed) this.#deps.onError(error);
    }
  }

  /**
   * Adds events to the cache. Numbers have no gaps, so missing events were deleted. Followers that need them find the
   * gap in their own read.
   */
  #keep(found: readonly NumberedEvent[]): void {
    const [first] = found;
    const newest = found.at(-1);
    if (first === undefined || newest === undefined || this.#last === null) return;
    if (first.seq === this.#last + 1n) {
      this.#recent.push(...found);
      this.#last = newest.seq;
      const over = this.#recent.length - HTTP_LIMITS.eventsRemembered;
      if (over > 0) {
        this.#recent.splice(0, over);
        this.#from += BigInt(over);
      }
    } else {
      this.#remember(newest.seq);
    }
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  /** Waits for a notification. Returns true if none arrived within the heartbeat interval. */
  async #isQuiet(news: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(true), this.heartbeatMs);
    const onAbort = (): void => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([promise, news.then(() => false)]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
