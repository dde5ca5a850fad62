import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Caller } from '../chaos/caller.ts';
import { createCaller } from '../chaos/caller.ts';
import { rowsOf } from '../chaos/rows.ts';
import type { World } from '../chaos/world.ts';
import { startWorld } from '../chaos/world.ts';
import { table } from '../cli/table.ts';

/*
 * Measures what an hour without a participant costs, including the time after it until no consequence is left: how many
 * operations stay open, how many rows, events, deliveries and retries there are, and how long the operations take to
 * end after the participant's return. In one run the participant accepts no connections; in another it accepts them but
 * does not answer. Every role is a process of its own. The hour and the waits for the participant are divided by a
 * factor. If the participant does not answer, the deadline of a command is divided by another factor, which leaves
 * enough time for real answers.
 *
 *   node bench/outage.bench.ts [factor=30] [operations=1000] [refuse|freeze|short: all of them]
 */

const FACTOR = Number(process.argv[2] ?? 30);
const OPERATIONS = Number(process.argv[3] ?? 1_000);
const FREEZE_FACTOR = Math.min(FACTOR, 10);
const HOUR_MS = 3_600_000;
const ONLY = process.argv[4];
const ASKING = 8;
const FEW = 5;
const SETTLED_MS = 180_000;
const AIM = { attempts: OPERATIONS, events: 2 * OPERATIONS, probes: 200 };
const PLACES = {
  api: 'api,clock',
  'worker-1': 'worker',
  'worker-2': 'worker',
  projector: 'projector',
};

/** The numbers of rows about operations that were written after a given time, and the number of open operations. */
interface Written {
  readonly attempts: number;
  readonly tries: number;
  readonly events: number;
  readonly deliveries: number;
  readonly open: number;
  /** How many times in a row the participant was found to be unreachable. */
  readonly level: number;
}

async function written(world: World, after: string): Promise<Written> {
  const [row] = await rowsOf<Written>(
    world.databaseUrl,
    `select (select count(*) from attempt where at >= $1)::integer as attempts,
            (select coalesce(sum(1 + unsent_tries), 0) from attempt where at >= $1)::integer as tries,
            (select count(*) from event where at >= $1)::integer
              + (select count(*) from event_arrival where at >= $1)::integer as events,
            (select count(*) from delivery where created_at >= $1)::integer as deliveries,
            (select count(*) from change where finished_at is null)::integer as open,
            (select coalesce(max(level), 0) from circuit)::integer as level`,
    [after],
  );
  if (row === undefined) throw new Error('the database counts nothing');
  return row;
}

const now = async (world: World): Promise<string> => {
  const [row] = await rowsOf<{ now: string }>(world.databaseUrl, 'select now()::text as now');
  return row?.now ?? '';
};

/** Starts a target for webhooks, which accepts every delivery. */
async function openTarget(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Sends requests of the user without waiting for their results. Each of them is in a new lane. */
async function ask(caller: Caller, count: number): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const path = `/app-install-requests?commandId=${randomUUID()}`;
      const { status, body } = await caller.ask('user', 'POST', path, {});
      if (status !== 202) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: ASKING }, one));
}

/** Whether connections to the participant are refused, or stay open without an answer. */
type Outage = 'refuse' | 'freeze';

function begin(world: World, outage: Outage): void {
  for (const { ways } of world.members) {
    if (outage === 'refuse') ways['user-ledger'].refuse();
    else ways['user-ledger'].swallow();
  }
}

function end(world: World): void {
  for (const { ways } of world.members) ways['user-ledger'].pass();
}

/** Waits until at most this number of operations are open. Returns the milliseconds that this took. */
async function untilOpen(world: World, most: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < SETTLED_MS) {
    const [row] = await rowsOf<{ open: number }>(
      world.databaseUrl,
      'select count(*)::integer as open from change where finished_at is null',
    );
    if (row !== undefined && row.open <= most) return performance.now() - began;
    await sleep(50);
  }
  throw new Error(`more than ${most} operations are open ${SETTLED_MS / 1_000} s after the return`);
}

/** Checks the result of operations. @throws Error unless each of them has created exactly one contract */
async function requireOnce(world: World, after: string, count: number): Promise<void> {
  const [row] = await rowsOf<{ done: number; made: number }>(
    world.databaseUrl,
    `select count(*)::integer as done, count(distinct result #>> '{body,contractId}')::integer as made
     from change where accepted_at >= $1 and state = 'succeeded'`,
    [after],
  );
  if (row?.done !== count || row.made !== count) {
    throw new Error(`not once each: ${JSON.stringify(row)} of ${count}`);
  }
}

const WORD: Readonly<Record<Outage, string>> = {
  refuse: 'takes no connections',
  freeze: 'keeps connections and says nothing',
};
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** Measures a short outage with few operations, in real time. This is the cost of a restart of the participant. */
async function shortOutage(world: World, caller: Caller, awayMs: number): Promise<string[]> {
  const began = await now(world);
  begin(world, 'refuse');
  await ask(caller, FEW);
  await sleep(awayMs);
  end(world);
  const tookMs = await untilOpen(world, 0);
  await requireOnce(world, began, FEW);
  return [seconds(awayMs), String(FEW), seconds(tookMs)];
}

async function longOutage(
  world: World,
  caller: Caller,
  { outage, factor }: { readonly outage: Outage; readonly factor: number },
): Promise<void> {
  const began = await now(world);
  begin(world, outage);
  await ask(caller, OPERATIONS);
  const first = await written(world, began);
  await sleep(HOUR_MS / factor);
  const found = await written(world, began);
  const probes = found.level - first.level;
  end(world);
  const firstMs = await untilOpen(world, OPERATIONS - 1);
  const allMs = firstMs + (await untilOpen(world, 0));
  await requireOnce(world, began, OPERATIONS);
  const rows: [string, number, number | null][] = [
    ['attempts', found.attempts, AIM.attempts],
    ['events', found.events, AIM.events],
    ['probes', probes, AIM.probes],
    ['tries before that, while operations were accepted', first.tries, null],
    ['tries of operations in all', found.tries, null],
    ['deliveries of one webhook', found.deliveries, AIM.events],
  ];
  console.log(
    `\nAn hour without the users' participant, which ${WORD[outage]}: ${OPERATIONS} operations open, ${factor} times as fast`,
  );
  console.log(
    table(
      ['what', 'at most', 'seen'],
      rows.map(([what, seen, most]) => [what, most === null ? '' : String(most), String(seen)]),
    ),
  );
  console.log(
    `after its return: the first outcome after ${seconds(firstMs)} s, all ${OPERATIONS} after ${seconds(allMs)} s`,
  );
  const broken = rows.filter(([, seen, most]) => most !== null && seen > most);
  if (broken.length > 0) throw new Error(`more than it may leave: ${broken.join('; ')}`);
  if (found.open !== OPERATIONS) throw new Error(`${found.open} were open all the while`);
}

async function startPlaces(
  over: AbortController,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<World> {
  const entry = fileURLToPath(new URL('outage-role.ts', import.meta.url));
  const searchPath = process.env['PATH'] ?? '';
  const world = await startWorld({
    folder,
    queue: 'postgres',
    searchPath,
    entry,
    environment,
    signal: over.signal,
  });
  for (const [name, roles] of Object.entries(PLACES)) {
    const place = await world.add(name, roles);
    const { port } = await place.start();
    place.front.aim(port);
    place.front.pass();
  }
  return world;
}

async function measured(
  environment: Readonly<Record<string, string>>,
  work: (world: World, caller: Caller) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-outage-'));
  const over = new AbortController();
  try {
    await using target = await openTarget();
    await using world = await startPlaces(over, folder, environment);
    const caller = createCaller({
      apiUrl: () => `http://127.0.0.1:${world.members[0]?.front.port}`,
      addresses: () => world.addresses,
      signal: over.signal,
    });
    const { status } = await caller.ask('user', 'POST', '/webhooks', { url: target.url });
    if (status !== 201) throw new Error(`the webhook was answered ${status}`);
    await work(world, caller);
  } finally {
    over.abort();
    await rm(folder, { recursive: true, force: true });
  }
}

const [cpu] = cpus();
console.log(
  `${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(0)}`,
);
const RUNS: Readonly<Record<string, () => Promise<void>>> = {
  refuse: () =>
    measured({ BENCH_FACTOR: String(FACTOR) }, (world, caller) =>
      longOutage(world, caller, { outage: 'refuse', factor: FACTOR }),
    ),
  freeze: () =>
    measured({ BENCH_FACTOR: String(FREEZE_FACTOR), BENCH_DEADLINE: 'shorter' }, (world, caller) =>
      longOutage(world, caller, { outage: 'freeze', factor: FREEZE_FACTOR }),
    ),
  short: () =>
    measured({}, async (world, caller) => {
      const rows: string[][] = [];
      for (const awayMs of [2_000, 10_000, 30_000])
        rows.push(await shortOutage(world, caller, awayMs));
      console.log('\nA short outage, nothing scaled');
      console.log(table(['away, s', 'operations', 'all answered after its return, s'], rows));
    }),
};
for (const [name, run] of Object.entries(RUNS)) {
  if (ONLY === undefined || ONLY === name) await run();
}
