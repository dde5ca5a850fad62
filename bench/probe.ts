/*
 * A module that is loaded into a process of Tenure with `--import`, for benches that need data from inside the process.
 * When the parent process orders it, the module records what enters and leaves the process (requests, statements,
 * calls, elements of streams) with the time, or makes V8 take samples. It writes the results to a file.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import pg from 'pg';

/**
 * The orders of the parent process. An order with a file name means that everything since the last order is to be
 * written to this file.
 */
export type ProbeOrder =
  | { readonly probe: 'note' | 'sample' }
  | { readonly probe: 'noted' | 'sampled'; readonly file: string };

/** Something that began and ended. Times are in milliseconds of wall time. */
export interface Noted {
  readonly what: 'request' | 'statement' | 'call' | 'element' | 'notification';
  /** The path of a request or a call, or the name or text of a statement. */
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
  /** The number of the statement's connection. */
  readonly connection?: number;
}

let noted: Noted[] | null = null;
const nowMs = (): number => performance.timeOrigin + performance.now();

const requests = new WeakMap<object, number>();
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: object };
  requests.set(request, nowMs());
});
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: { url?: string; method?: string } };
  const atMs = requests.get(request);
  if (atMs === undefined) return;
  const name = `${request.method} ${request.url?.split('?')[1] ?? ''}`;
  noted?.push({ what: 'request', name, atMs, untilMs: nowMs() });
});

subscribe('http2.client.stream.created', (message) => {
  const { stream, headers } = message as { stream: ClientHttp2Stream; headers: object };
  const name = String(Reflect.get(headers, ':path') ?? '').replace(/^.*\.v2\./u, '');
  const atMs = nowMs();
  let elements = 0;
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk !== null) {
      elements += 1;
      noted?.push({ what: 'element', name, atMs: nowMs(), untilMs: nowMs() });
    }
    return push(chunk, encoding);
  };
  stream.once('close', () => {
    if (elements <= 1) noted?.push({ what: 'call', name, atMs, untilMs: nowMs() });
  });
});

const connections = new WeakMap<object, number>();
let connectionsSoFar = 0;
const numberOf = (client: object): number => {
  const known = connections.get(client) ?? (connectionsSoFar += 1);
  connections.set(client, known);
  return known;
};

const textOf = (query: unknown): string => {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return '?';
  const { name, text } = query as { name?: string; text?: string };
  return name === undefined ? (text ?? '?') : `${name}: ${text ?? ''}`;
};

type Method = (this: object, ...given: unknown[]) => unknown;
const { prototype } = pg.Client as unknown as { prototype: { query: Method; emit: Method } };
const { query, emit } = prototype;
prototype.emit = function noting(this: object, ...given: unknown[]) {
  const [event, message] = given;
  if (event === 'notification') {
    const { channel } = message as { channel: string };
    noted?.push({ what: 'notification', name: channel, atMs: nowMs(), untilMs: nowMs() });
  }
  return emit.apply(this, given);
};
prototype.query = function noting(this: object, ...given: unknown[]) {
  const into = noted;
  if (into === null) return query.apply(this, given);
  const atMs = nowMs();
  const name = textOf(given[0]);
  const connection = numberOf(this);
  const end = (): void =>
    void into.push({ what: 'statement', name, atMs, untilMs: nowMs(), connection });
  const last = given.at(-1);
  if (typeof last === 'function') {
    const told = (...answer: unknown[]): unknown => {
      end();
      return Reflect.apply(last, this, answer);
    };
    return query.apply(this, [...given.slice(0, -1), told]);
  }
  const answer = query.apply(this, given);
  if (answer instanceof Promise) answer.then(end, end);
  return answer;
};

const session = new Session();
async function obey(order: ProbeOrder): Promise<void> {
  switch (order.probe) {
    case 'note':
      noted = [];
      return;
    case 'noted':
      writeFileSync(order.file, JSON.stringify(noted));
      noted = null;
      return;
    case 'sample':
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 500 });
      return session.post('Profiler.start');
    case 'sampled': {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      writeFileSync(order.file, JSON.stringify(profile));
    }
  }
}
process.on('message', (order: ProbeOrder) => {
  void obey(order).then(() => process.send?.({ obeyed: order.probe }));
});
process.channel?.unref();
