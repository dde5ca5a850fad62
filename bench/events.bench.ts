/*
 * How long an event takes from its commit to a client of GET /events: `node bench/events.bench.ts [seconds] [rate]`.
 * Starts PostgreSQL with full durability in a temporary folder, a sequencer, and a server of its own; writers commit
 * events at even distances. Beside it, in the same run, a bare loop: a transaction, NOTIFY, and who listens.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Io } from '../src/app/ports.ts';
import { WorkingSet } from '../src/app/working-set.ts';
import { trusted } from '../src/domain/ids.ts';
import type { Party } from '../src/domain/ids.ts';
import { EventFeed } from '../src/http/event-feed.ts';
import { startSequencer } from '../src/ops/sequencer.ts';
import { ARRIVALS_CHANNEL, EVENTS_CHANNEL } from '../src/store/channels.ts';
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts';
import { createEventLog } from '../src/store/events.ts';
import { createLeases } from '../src/store/lease.ts';
import { openListener } from '../src/store/listen.ts';
import { migrate } from '../src/store/migrate.ts';
import { closePool, openPool } from '../src/store/pool.ts';
import { createPostgresStore } from '../src/store/postgres-store.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const RATE = Number(process.argv[3] ?? 100);
const FOLLOWERS = 50;

const PARTY = trusted<Party>('bench::1220');
const signal = new AbortController().signal;
const io: Io = { signal, deadlineMs: 10_000 };
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };

const percentile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(1);
};
const row = (name: string, values: readonly number[]): void =>
  console.log(
    `${name.padEnd(44)} n ${String(values.length).padStart(6)}   p50 ${percentile(values, 0.5)} ms   p99 ${percentile(values, 0.99)} ms   max ${percentile(values, 1)} ms`,
  );

/** Calls `work` at even distances, whatever the calls before it do. */
async function paced(work: (n: number) => Promise<void>): Promise<void> {
  const began = performance.now();
  const all: Promise<void>[] = [];
  for (let n = 0; n < SECONDS * RATE; n += 1) {
    const dueMs = began + (n * 1_000) / RATE - performance.now();
    if (dueMs > 0) await sleep(dueMs);
    all.push(work(n));
  }
  await Promise.all(all);
}

await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'tenure-bench-events-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), signal });
stack.defer(() => postgres.stop());
const { url } = postgres;
await migrate({ url, signal });
const pool = await openPool({ url, max: 8, applicationName: 'bench', pipelined: true, signal });
stack.defer(() => closePool(pool, 5_000));
const store = createPostgresStore(pool);
const events = createEventLog(pool);

const sequencer = startSequencer({
  events,
  leases: createLeases(pool),
  log,
  random: Math.random,
  holder: randomUUID(),
});
stack.defer(() => sequencer.stop());
const feed = new EventFeed({ log: events, onError: console.error });
const listener = openListener({ url, applicationName: 'bench' });
stack.defer(() => listener.stop());
const hear = (channel: string, onNews: () => void) =>
  listener.on(channel, { onMessage: onNews, onGap: onNews });
hear(ARRIVALS_CHANNEL, () => sequencer.wake());
hear(EVENTS_CHANNEL, () => feed.onNews());

/** The stream as the route writes it, without what asks who may have it. */
const server = createServer((_request, response) => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  async function* texts(): AsyncGenerator<string> {
    const filter = { party: PARTY, types: [], lifecycleId: null };
    for await (const told of feed.follow(0n, filter, gone.signal)) {
      if (told.kind !== 'events' || told.events.length === 0) continue;
      yield told.events
        .map(({ seq, subject }) => `id: ${seq}\ndata: ${JSON.stringify({ subject })}\n\n`)
        .join('');
    }
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  Readable.from(texts(), { highWaterMark: 1 }).pipe(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
stack.defer(() => {
  server.closeAllConnections();
  server.close();
});
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const committedMs = new Map<string, number>();
const told: number[] = [];
const heard = { number: 0 };
const over = new AbortController();
stack.defer(() => over.abort());
async function follow(): Promise<void> {
  const response = await fetch(address, { signal: over.signal });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const nowMs = performance.now();
    for (const [, subject = ''] of chunk.matchAll(/"subject":"([^"]+)"/gu)) {
      heard.number += 1;
      const sinceMs = committedMs.get(subject);
      // Of those that were there before their writer heard of the commit, nothing is left to measure.
      told.push(sinceMs === undefined ? 0 : Math.max(0, nowMs - sinceMs));
    }
  }
}
const followers = Array.from({ length: FOLLOWERS }, () => follow().catch(() => undefined));
while (feed.size < FOLLOWERS) await sleep(20);

const commits: number[] = [];
await paced(async (n) => {
  const subject = `event-${n}`;
  const beganMs = performance.now();
  const event = {
    type: 'tenure.lifecycle.changed' as const,
    subject,
    lifecycleId: null,
    parties: [PARTY],
    data: { lifecycleId: subject, state: 'active' },
  };
  await store.transact(io, (tx) => tx.save({ ...new WorkingSet().writes(), events: [event] }));
  committedMs.set(subject, performance.now());
  commits.push(performance.now() - beganMs);
});
const expected = SECONDS * RATE * FOLLOWERS;
const deadline = performance.now() + 10_000;
while (heard.number < expected && performance.now() < deadline) await sleep(20);
if (heard.number !== expected) throw new Error(`${heard.number} of ${expected} were told`);
over.abort();
await Promise.all(followers);

const ear = new Client({ connectionString: url });
await ear.connect();
stack.defer(() => ear.end());
await ear.query('listen bench');
const bare: number[] = [];
const sentMs = new Map<string, number>();
ear.on('notification', ({ payload = '' }) => {
  const sinceMs = sentMs.get(payload);
  bare.push(sinceMs === undefined ? 0 : performance.now() - sinceMs);
});
await paced(async (n) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      'insert into event_arrival (type, subject, parties, data) values ($1, $2, $3, $4)',
      ['x', `x${n}`, [], {}],
    );
    await client.query(`select pg_notify('bench', $1)`, [String(n)]);
    await client.query('commit');
    sentMs.set(String(n), performance.now());
  } finally {
    client.release();
  }
});
await sleep(500);

console.log(`${RATE} events a second for ${SECONDS} s, ${FOLLOWERS} followers`);
row('event at a client, from its commit', told);
row('commit of a transaction that leaves an event', commits);
row('bare LISTEN/NOTIFY, from its commit', bare);
