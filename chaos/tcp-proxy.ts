import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

/** The server behind a proxy: a port of this machine, or the path of a Unix socket. */
export type Target = number | string;

/**
 * - `pass`: all data is forwarded.
 * - `refuse`: new connections are closed at once.
 * - `swallow`: connections are accepted and kept without any answer, as if the route were lost or the host were frozen.
 */
type Mode = 'pass' | 'refuse' | 'swallow';

/**
 * - `before-request`: the connection ends when the client sends the text; the server does not receive the text.
 * - `before-answer`: the connection ends when the server's answer contains the text, and the answer is lost. The server
 *   has executed the request, but its client cannot know this.
 */
export type CutPlace = 'before-request' | 'before-answer';

/** A proxy for a server on loopback. It can cut, block, freeze and slow down connections. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The number of open client connections. */
  readonly open: number;
  /** Sets the target of new connections. */
  aim(target: Target): void;
  /** Forwards new connections again. Connections that are frozen stay frozen. */
  pass(): void;
  /** Closes the open connections. New connections are still forwarded. */
  cut(): void;
  /** Closes the open connections. After this, every new connection is closed at once. */
  refuse(): void;
  /**
   * Keeps old and new connections open without forwarding anything. These connections stay frozen for ever, as behind a
   * router that has forgotten them.
   */
  swallow(): void;
  /**
   * Sets how long each piece of data is delayed, and how many bytes per second are forwarded, on open connections too.
   * Zero means no delay and no limit.
   */
  slow(delayMs: number, bytesPerSecond?: number): void;
  /** Replaces every answer by this text, also on open connections; `null` forwards the real answers. */
  garble(text: string | null): void;
  /** Closes the next connection on which `text` appears. Resolves when that has happened. */
  cutAt(place: CutPlace, text: string): Promise<void>;
}

interface Pace {
  delayMs: number;
  bytesPerSecond: number;
  /** The bytes that are sent instead of each piece of an answer; `null` means that answers are forwarded. */
  garbage: Buffer | null;
}

interface Trap {
  readonly place: CutPlace;
  readonly text: Buffer;
  readonly sprung: () => void;
}

type Direction = 'request' | 'answer';
const PLACE_OF: Readonly<Record<Direction, CutPlace>> = {
  request: 'before-request',
  answer: 'before-answer',
};

/** One direction of a connection. */
class Lane extends Transform {
  readonly #pace: Readonly<Pace>;
  readonly #direction: Direction;
  readonly #isTrapped: (seen: Buffer) => boolean;
  /** The end of the previous piece of data, because the text that is searched for may be split between two pieces. */
  #tail: Buffer = Buffer.alloc(0);
  isFrozen = false;

  constructor(pace: Readonly<Pace>, direction: Direction, isTrapped: (seen: Buffer) => boolean) {
    super();
    this.#direction = direction;
    this.#pace = pace;
    this.#isTrapped = isTrapped;
    this.on('error', () => undefined);
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    const seen = Buffer.concat([this.#tail, chunk]);
    this.#tail = seen.subarray(-TRAP_BYTES_MAX);
    if (!this.isFrozen && this.#isTrapped(seen)) {
      done(new Error('cut'));
      return;
    }
    const { delayMs, bytesPerSecond } = this.#pace;
    const transferMs = bytesPerSecond === 0 ? 0 : (chunk.length * 1_000) / bytesPerSecond;
    const told = this.#direction === 'answer' ? (this.#pace.garbage ?? chunk) : chunk;
    const go = (): void => (this.isFrozen ? done() : done(null, told));
    if (this.isFrozen || delayMs + transferMs === 0) go();
    else setTimeout(go, delayMs + transferMs);
  }
}

const TRAP_BYTES_MAX = 64;

/** A client's connection and, unless it is refused or swallowed, the proxy's connection to the target. */
interface Pair {
  readonly inner: Socket;
  readonly outer: Socket | null;
  readonly lanes: readonly Lane[];
}

class Proxy implements TcpProxy {
  readonly #server = createServer((inner) => this.#accept(inner));
  readonly #pairs = new Set<Pair>();
  readonly #pace: Pace = { delayMs: 0, bytesPerSecond: 0, garbage: null };
  readonly #traps = new Set<Trap>();
  #target: Target;
  #mode: Mode = 'pass';

  constructor(target: Target) {
    this.#target = target;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#pairs.size;
  }

  aim(target: Target): void {
    this.#target = target;
  }

  pass(): void {
    this.#mode = 'pass';
  }

  cut(): void {
    for (const pair of this.#pairs) this.#end(pair);
  }

  refuse(): void {
    this.#mode = 'refuse';
    this.cut();
  }

  swallow(): void {
    this.#mode = 'swallow';
    for (const lane of [...this.#pairs].flatMap(({ lanes }) => lanes)) lane.isFrozen = true;
  }

  slow(delayMs: number, bytesPerSecond = 0): void {
    Object.assign(this.#pace, { delayMs, bytesPerSecond });
  }

  garble(text: string | null): void {
    this.#pace.garbage = text === null ? null : Buffer.from(text);
  }

  cutAt(place: CutPlace, text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#traps.add({ place, text: Buffer.from(text), sprung: resolve });
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.refuse();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(inner: Socket): void {
    inner.setNoDelay(true);
    inner.on('error', () => undefined);
    if (this.#mode === 'refuse') {
      inner.destroy();
      return;
    }
    if (this.#mode === 'swallow') {
      this.#keep({ inner: inner.resume(), outer: null, lanes: [] });
      return;
    }
    const outer =
      typeof this.#target === 'string' ? connect(this.#target) : connect(this.#target, '127.0.0.1');
    outer.setNoDelay(true);
    outer.on('error', () => undefined);
    const lanes = [this.#lane('request'), this.#lane('answer')] as const;
    const pair: Pair = { inner, outer, lanes };
    this.#keep(pair);
    // After an orderly close, the remaining data is still delivered. If the connection is frozen, its client notices
    // neither an orderly close nor a break.
    outer.once('close', (hadError) => {
      if (hadError && !lanes[1].isFrozen) this.#end(pair);
    });
    for (const lane of lanes) lane.once('error', () => this.#end(pair));
    inner.pipe(lanes[0]).pipe(outer);
    outer.pipe(lanes[1]).pipe(inner);
  }

  #keep(pair: Pair): void {
    this.#pairs.add(pair);
    pair.inner.once('close', () => this.#end(pair));
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const lane of pair.lanes) lane.destroy();
    if (!pair.inner.destroyed) pair.inner.destroy();
    pair.outer?.destroy();
  }

  #lane(direction: Direction): Lane {
    return new Lane(this.#pace, direction, (seen) => {
      const trap = [...this.#traps].find(
        ({ place, text }) => place === PLACE_OF[direction] && seen.includes(text),
      );
      if (trap === undefined) return false;
      this.#traps.delete(trap);
      trap.sprung();
      return true;
    });
  }
}

/** Opens a proxy for a server on this machine. */
export const openTcpProxy = (target: Target): Promise<TcpProxy> => new Proxy(target).listen();
