import { randomUUID } from 'node:crypto';
import { cpus, tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../chaos/caller.ts';
import { createCaller } from '../chaos/caller.ts';
import { Director } from '../chaos/director.ts';
import { LedgerControl } from '../chaos/ledger-control.ts';
import { Records, isGood } from '../chaos/records.ts';
import { spreadOf } from '../chaos/report.ts';
import type { Act } from '../chaos/script.ts';
import type { PlaceName } from '../chaos/sizes.ts';
import { PLACES } from '../chaos/sizes.ts';
import type { QueueKind, Service, World } from '../chaos/world.ts';
import { startWorld } from '../chaos/world.ts';
import { table } from '../cli/table.ts';

/*
 * Measures how long callers wait because of a fault, one fault at a time under a steady load: a kill -9 of each role,
 * frozen connections, a wiped queue, a crash of the database, and stops in order. Also measures concurrent changes of
 * one installation. Every role is a process of its own, as in `tenure chaos`.
 *
 *   node bench/recovery.bench.ts [times=5] [postgres,redis] [part of a fault's name]
 */

const TIMES = Number(process.argv[2] ?? 5);
const QUEUES = (process.argv[3] ?? 'postgres,redis').split(',') as QueueKind[];
const FAULT = process.argv[4] ?? '';
const CALLERS = 8;
const CONCURRENT = 100;
/** How long the load runs before a fault, so that operations are in flight when it happens. */
const WARM_MS = 1_500;
const ANSWERED_MS = 90_000;
const LICENSE = { params: { meta: { data: {} } } };

interface Bench {
  readonly world: World;
  readonly director: Director;
  readonly records: Records;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** Creates one licence, and records the result. */
async function create({ caller, records }: Bench, install: string): Promise<void> {
  const commandId = randomUUID();
  const path = `/app-installs/${install}:create-license`;
  const record = records.begin({ commandId, what: 'create', who: 'provider', path, body: LICENSE });
  records.end(record, await caller.operate('provider', path, LICENSE, commandId));
}

async function makeInstall({ caller }: Bench): Promise<string> {
  const asked = await caller.operate('user', '/app-install-requests', {}, randomUUID());
  const path = `/app-install-requests/${asked.body.contractId}:accept`;
  const made = await caller.operate('provider', path, { installMeta: {}, meta: {} }, randomUUID());
  return made.body.contractId as string;
}

/** Starts callers, each with an install of its own. Returns a function that stops them. */
function load(bench: Bench, installs: readonly string[]): () => Promise<void> {
  const over = new AbortController();
  const lives = installs.map(async (install) => {
    while (!over.signal.aborted && !bench.signal.aborted) await create(bench, install);
  });
  return async () => {
    over.abort();
    await Promise.all(lives);
  };
}

/**
 * Performs acts under load.
 *
 * @returns how many operations were in flight, how long it took until all of them and until the first were answered,
 *   and how long LocalNet was down if it was restarted
 */
async function strike(bench: Bench, installs: readonly string[], acts: readonly Act[]) {
  const stop = load(bench, installs);
  await sleep(WARM_MS);
  const { records, director } = bench;
  const atMs = records.nowMs();
  for (const act of acts) director.do(act);
  const inFlight = records.inFlightAt(atMs);
  const giveUpMs = atMs + ANSWERED_MS;
  const { localnet } = bench.world;
  let ledgerBackMs: number | null = null;
  while (inFlight.some(({ answer }) => answer === null) && records.nowMs() < giveUpMs) {
    await sleep(20);
    if (bench.world.localnet !== localnet) ledgerBackMs ??= records.nowMs() - atMs;
  }
  const found = {
    recoveryMs: records.recoveryMs(atMs) ?? ANSWERED_MS,
    stallMs: records.stallMs(atMs) ?? ANSWERED_MS,
    ledgerBackMs,
    inFlight: inFlight.length,
    endedWell: inFlight.filter(isGood).length,
  };
  await stop();
  await until('every process runs again', () =>
    bench.world.members.every((member) => member.process?.hasEnded === false),
  );
  return found;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + ANSWERED_MS;
  while (!holds()) {
    if (performance.now() > giveUpMs) throw new Error(`not in time: ${what}`);
    await sleep(50);
  }
}

const seconds = (ms: number | undefined): string => ((ms ?? 0) / 1_000).toFixed(2);

async function repeated(
  bench: Bench,
  installs: readonly string[],
  name: string,
  act: (n: number) => Act | readonly Act[],
): Promise<string[]> {
  const found: Awaited<ReturnType<typeof strike>>[] = [];
  for (let n = 0; n < TIMES; n += 1) found.push(await strike(bench, installs, [act(n)].flat()));
  const recovery = spreadOf(found.map(({ recoveryMs }) => recoveryMs));
  const stall = spreadOf(found.map(({ stallMs }) => stallMs));
  const back = spreadOf(
    found.flatMap(({ ledgerBackMs }) => (ledgerBackMs === null ? [] : [ledgerBackMs])),
  );
  const sum = (of: (one: (typeof found)[number]) => number) =>
    found.reduce((total, one) => total + of(one), 0);
  return [
    name,
    String(found.length),
    String(sum(({ inFlight }) => inFlight)),
    String(sum(({ endedWell }) => endedWell)),
    seconds(recovery?.medianMs),
    seconds(recovery?.worstMs),
    seconds(stall?.medianMs),
    seconds(stall?.worstMs),
    back === null ? '' : seconds(back.worstMs),
  ];
}

/** The number of calls that the participants have received, by method. */
type Calls = Readonly<Record<string, number>>;

/**
 * Counts the calls during `work`. For this, it adds faults that match all calls and have no effect, because LocalNet
 * counts the matches of a fault.
 */
async function counting<T>(bench: Bench, methods: readonly string[], work: () => Promise<T>) {
  const url = `${bench.world.addresses.networkUrl}/control/faults`;
  const begun = await Promise.all(
    methods.map(async (method) => {
      const fault = { kind: 'delay', ms: 1, chance: 0, where: { method } };
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fault),
      });
      return { method, id: ((await answer.json()) as { id: string }).id };
    }),
  );
  const value = await work();
  const counted = await Promise.all(
    begun.map(async ({ method, id }) => {
      const { matched } = (await (await fetch(`${url}/${id}`)).json()) as { matched: number };
      return [method, matched] as const;
    }),
  );
  await fetch(url, { method: 'DELETE' });
  return { value, calls: Object.fromEntries(counted) as Calls };
}

/** The methods of unary calls. Streams are not counted, because a process opens them only when it starts. */
const METHODS = ['Submit', 'GetLedgerEnd', 'GetUpdateByOffset', 'GetUpdateById', 'SubmitAndWait*'];

async function concurrent(bench: Bench): Promise<string[]> {
  const install = await makeInstall(bench);
  const before = bench.records.all.length;
  const began = performance.now();
  const { calls } = await counting(bench, METHODS, () =>
    Promise.all(Array.from({ length: CONCURRENT }, () => create(bench, install))),
  );
  const tookMs = performance.now() - began;
  const answers = bench.records.all.slice(before);
  const submitted = calls['Submit'] ?? 0;
  return [
    String(CONCURRENT),
    String(answers.filter(isGood).length),
    String(answers.filter((one) => !isGood(one)).length),
    String(submitted),
    String(submitted - CONCURRENT),
    seconds(tookMs),
  ];
}

/** Counts the ledger calls of operations that run one after another, without faults. */
async function ordinary(bench: Bench, install: string): Promise<Calls> {
  const { calls } = await counting(bench, METHODS, async () => {
    for (let n = 0; n < 20; n += 1) await create(bench, install);
  });
  return calls;
}

async function measure(queue: QueueKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-recovery-'));
  const over = new AbortController();
  try {
    const searchPath = process.env['PATH'] ?? '';
    await using world = await startWorld({ folder, queue, searchPath, signal: over.signal });
    for (const [name, roles] of Object.entries(PLACES.small)) await world.add(name, roles);
    const records = new Records();
    const say = (line: string) => console.error(line);
    const control = new LedgerControl(() => world.addresses.networkUrl);
    const director = new Director({ world, records, control, signal: over.signal, say });
    try {
      await director.begin();
      const caller = createCaller({
        apiUrl: () => `http://127.0.0.1:${world.members[0]?.front.port}`,
        addresses: () => world.addresses,
        signal: over.signal,
      });
      await measureIn({ world, director, records, caller, signal: over.signal });
    } finally {
      over.abort();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureIn(bench: Bench): Promise<void> {
  const { queue } = bench.world;
  console.log(`\n== queue on ${queue}`);
  const installs = await Promise.all(Array.from({ length: CALLERS }, () => makeInstall(bench)));
  const calls = await ordinary(bench, installs[0] ?? '');
  console.log(`\nCalls that the participants took for 20 create-license, one after the other`);
  console.log(
    table(
      ['method', 'calls'],
      Object.entries(calls).map(([name, count]) => [name, String(count)]),
    ),
  );
  console.log(`\n${CONCURRENT} create-license on one install at once`);
  console.log(
    table(
      ['asked', 'created', 'errors', 'submissions', 'refused or repeated', 's'],
      [await concurrent(bench)],
    ),
  );
  const kill = (place: PlaceName): Act => ({ kind: 'kill', atMs: 0, place, ms: 0 });
  const stop = (place: PlaceName): Act => ({ kind: 'stop', atMs: 0, place });
  const freeze = (place: PlaceName, service: Service): Act => ({
    kind: 'freeze',
    atMs: 0,
    place,
    service,
    ms: 0,
  });
  const in2 = (n: number): '1' | '2' => (n % 2 === 0 ? '1' : '2');
  const faults: readonly (readonly [string, (n: number) => Act | readonly Act[]])[] = [
    ['kill -9 api', () => kill('api')],
    ['kill -9 a worker', (n) => kill(`worker-${in2(n)}`)],
    ['kill -9 a projector', (n) => kill(`projector-${in2(n)}`)],
    ['kill -9 participant', () => ({ kind: 'ledger-kill', atMs: 0, ms: 0 })],
    [
      'ledger streams frozen',
      () => [freeze('projector-1', 'provider-ledger'), freeze('projector-2', 'provider-ledger')],
    ],
    ['database connections of the api frozen', () => freeze('api', 'postgres')],
    ['queue wiped', () => ({ kind: 'wipe', atMs: 0 })],
    ['database crashed', () => ({ kind: 'postgres', atMs: 0 })],
    ['worker stopped', (n) => stop(`worker-${in2(n)}`)],
  ];
  const rows: string[][] = [];
  for (const [name, act] of faults) {
    if (name.includes(FAULT)) rows.push(await repeated(bench, installs, name, act));
  }
  console.log(`\nOne fault at a time, ${CALLERS} callers; seconds`);
  console.log(
    table(
      [
        'fault',
        'times',
        'on their way',
        'ended well',
        'all answered, median',
        'worst',
        'first answer, median',
        'worst',
        'participant back, worst',
      ],
      rows,
    ),
  );
  const stops = await bench.director.stop();
  const spread = spreadOf(stops.map(({ tookMs }) => tookMs));
  console.log(`\nOrderly stop of all: worst ${seconds(spread?.worstMs)} s`);
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}`);
for (const queue of QUEUES) await measure(queue);
