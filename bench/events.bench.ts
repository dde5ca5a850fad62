/*
 * Measures the time from an event's commit to its arrival at a client of GET /events: `node bench/events.bench.ts
 * [seconds] [rate]`. A complete Tenure runs, whose commits wait for the disk. Writers commit events at regular
 * intervals, and clients with tokens follow them. For comparison, the same run measures a bare loop: a transaction,
 * NOTIFY, and a listener.
 */
import { NEWEST_MODEL } from '../src/app/licensing/model.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DemoCaller } from '../cli/demo-callers.ts';
import { DEMO_CALLERS } from '../cli/demo-callers.ts';
import { fetchToken } from '../cli/commands/token.ts';
import type { Io } from '../src/app/ports/io.ts';
import { WorkingSet } from '../src/app/engine/lanes/working-set.ts';
import { trusted } from '../src/domain/ids.ts';
import type { Party } from '../src/domain/ids.ts';
import { HTTP_LIMITS } from '../src/http/limits.ts';
import { closePool, openPool } from '../src/store/sql/pool.ts';
import { createPostgresStore } from '../src/store/engine/postgres-store.ts';
import { startBenchWorld } from './world.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const RATE = Number(process.argv[3] ?? 100);
/** The number of streams of each caller. It is the number that one caller may have. */
const STREAMS = HTTP_LIMITS.eventStreamsPerCallerMax;
const FOLLOWERS = STREAMS * DEMO_CALLERS.length;

const signal = new AbortController().signal;
const io: Io = { signal, deadlineMs: 10_000 };

const percentile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(1);
};
const row = (name: string, values: readonly number[]): void =>
  console.log(
    `${name.padEnd(44)} n ${String(values.length).padStart(6)}   min ${percentile(values, 0)} ms   p50 ${percentile(values, 0.5)} ms   p99 ${percentile(values, 0.99)} ms   max ${percentile(values, 1)} ms`,
  );

/** Calls `work` at regular intervals, even if earlier calls have not ended. */
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
const world = stack.use(await startBenchWorld());
const { apiUrl, databaseUrl: url, providerParty, localnet } = world.state;
if (localnet === null) throw new Error('the bench needs LocalNet');
const parties = [trusted<Party>(providerParty), trusted<Party>(localnet.userParty)];
const pool = await openPool({ url, max: 8, applicationName: 'bench', pipelined: true, signal });
stack.defer(() => closePool(pool, 5_000));
const store = createPostgresStore(pool);

interface Arrival {
  readonly subject: string;
  readonly atMs: number;
}
/** The time at which the writer got the answer to its commit, by the subject of the event. */
const committedMs = new Map<string, number>();
const arrivals: Arrival[] = [];
/**
 * Returns the milliseconds since the commit. The number is negative if the client got the event before the writer got
 * the answer to its commit.
 */
const sinceCommit = (all: readonly Arrival[]): number[] =>
  all.map(({ subject, atMs }) => atMs - (committedMs.get(subject) ?? Number.NaN));
const over = new AbortController();
stack.defer(() => over.abort());

/**
 * Follows events until the bench ends. @param onOpen called when the stream is open, so that no event can be missed any
 * more
 */
async function follow(token: string, onOpen: () => void): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${apiUrl}/events`, { headers, signal: over.signal });
  if (!response.ok) throw new Error(`GET /events: ${response.status} ${await response.text()}`);
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    onOpen();
    const atMs = performance.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, subject] = /"subject":"(event-\d+)"/u.exec(block) ?? [];
      if (subject !== undefined) arrivals.push({ subject, atMs });
    }
  }
}

const followers: Promise<void>[] = [];
for (const caller of DEMO_CALLERS as DemoCaller[]) {
  const token = await fetchToken(localnet, caller);
  for (let n = 0; n < STREAMS; n += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    followers.push(follow(token, resolve).catch(reject));
    await promise;
  }
}

const commits: number[] = [];
await paced(async (n) => {
  const subject = `event-${n}`;
  const beganMs = performance.now();
  const event = {
    type: 'tenure.lifecycle.changed' as const,
    subject,
    lifecycleId: null,
    parties,
    data: { lifecycleId: subject, state: 'active' },
  };
  await store.transact(io, (tx) =>
    tx.save({ ...new WorkingSet(NEWEST_MODEL).writes(), events: [event] }),
  );
  committedMs.set(subject, performance.now());
  commits.push(performance.now() - beganMs);
});
const expected = SECONDS * RATE * FOLLOWERS;
const deadline = performance.now() + 10_000;
while (arrivals.length < expected && performance.now() < deadline) await sleep(20);
if (arrivals.length !== expected) {
  throw new Error(`${arrivals.length} of ${expected} were told`);
}
over.abort();
await Promise.all(followers);

const ear = new Client({ connectionString: url });
await ear.connect();
stack.defer(() => ear.end());
await ear.query('listen bench');
const notified: Arrival[] = [];
ear.on('notification', ({ payload = '' }) => {
  notified.push({ subject: payload, atMs: performance.now() });
});
await paced(async (n) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into arrival (events) values ($1)', [
      JSON.stringify([{ type: 'x', subject: `x${n}`, parties: [], data: {} }]),
    ]);
    await client.query(`select pg_notify('bench', $1)`, [String(n)]);
    await client.query('commit');
    committedMs.set(String(n), performance.now());
  } finally {
    client.release();
  }
});
await sleep(500);

console.log(`${RATE} events a second for ${SECONDS} s, ${FOLLOWERS} followers`);
row('event at a client, from its commit', sinceCommit(arrivals));
row('commit of a transaction that leaves an event', commits);
row('bare LISTEN/NOTIFY, from its commit', sinceCommit(notified));
