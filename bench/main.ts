import { randomUUID } from 'node:crypto';
import { cpus, totalmem } from 'node:os';
import { Agent, setGlobalDispatcher } from 'undici';
import { table } from '../cli/table.ts';
import { BareLedger } from './bare-ledger.ts';
import { databaseWork, perOperation } from './database-work.ts';
import { closedLoop, openLoop, row } from './load.ts';
import type { Figures } from './load.ts';
import { cpuSeconds, familyOf, nameOf, pssMiB, startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * What we claim about speed and size, measured: create-license over REST, answered after its projection, beside a
 * bare SubmitAndWaitForTransaction loop on the same LocalNet. Everything, this client too, shares the machine.
 *
 *   node bench/main.ts [runs=3] [seconds=10]
 */

const RUNS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 10);
const INSTALLS = 50;
const RATE = 150;

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

async function post(
  world: BenchWorld,
  token: string,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const answer = await fetch(`${world.state.apiUrl}${path}?commandId=${randomUUID()}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

async function installs(world: BenchWorld, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const request = await post(world, world.user, '/app-install-requests', {});
      const accepted = await post(
        world,
        world.provider,
        `/app-install-requests/${request['contractId']}:accept`,
        {
          installMeta: {},
          meta: {},
        },
      );
      return accepted['contractId'] ?? '';
    }),
  );
}

const LICENSE = { params: { meta: { data: {} } } };

async function overRest(
  world: BenchWorld,
  ids: readonly string[],
): Promise<Record<string, Figures>> {
  const create = async (n: number) => {
    await post(
      world,
      world.provider,
      `/app-installs/${ids[n % ids.length]}:create-license`,
      LICENSE,
    );
  };
  await openLoop(RATE / 2, 2, create);
  const alone = await closedLoop(1, SECONDS / 2, () => create(0));
  const paced = await openLoop(RATE, SECONDS, create);
  const { found: fast, did } = await databaseWork(world.state.databaseUrl, () =>
    closedLoop(INSTALLS, SECONDS, create),
  );
  console.log(
    `In the database, for each operation at full speed: ${perOperation(did, fast.count)}`,
  );
  return {
    'REST, one at a time': alone,
    [`REST, ${RATE}/s over ${INSTALLS} installs`]: paced,
    [`REST, ${INSTALLS} callers, as fast as it goes`]: fast,
  };
}

async function bare(world: BenchWorld, ids: readonly string[]): Promise<Record<string, Figures>> {
  const address =
    world.state.addresses.find(({ name }) => name === 'provider, Ledger API')?.url ?? '';
  const tokenUrl = world.state.localnet?.providerTokenUrl ?? '';
  const ledger = await BareLedger.open(address, tokenUrl, world.state.providerParty);
  const current = new Map(ids.map((id, i) => [i, id]));
  const create = async (client: number) => {
    current.set(client, await ledger.createLicense(current.get(client) ?? ''));
  };
  const figures = {
    'bare ledger, one at a time': await closedLoop(1, SECONDS / 4, create),
    [`bare ledger, ${INSTALLS} at a time`]: await closedLoop(INSTALLS, SECONDS / 2, create),
  };
  ledger.close();
  return figures;
}

function sizes(world: BenchWorld): Map<string, { pss: number; cpu: number; processes: number }> {
  const found = new Map<string, { pss: number; cpu: number; processes: number }>();
  for (const pid of familyOf(world.pid)) {
    const name = nameOf(pid);
    const before = found.get(name) ?? { pss: 0, cpu: 0, processes: 0 };
    found.set(name, {
      pss: before.pss + pssMiB(pid),
      cpu: before.cpu + cpuSeconds(pid),
      processes: before.processes + 1,
    });
  }
  return found;
}

function printSizes(when: string, world: BenchWorld): void {
  const found = sizes(world);
  const total = [...found.values()].reduce((sum, { pss }) => sum + pss, 0);
  const rows = [...found].map(([name, { pss, cpu, processes }]) => [
    name,
    String(processes),
    pss.toFixed(0),
    cpu.toFixed(1),
  ]);
  console.log(`\nMemory ${when}, all processes: ${total.toFixed(0)} MiB (PSS)`);
  console.log(table(['what', 'processes', 'PSS MiB', 'CPU s'], rows));
}

const cpu = cpus();
console.log(
  `${cpu.length} × ${cpu[0]?.model ?? '?'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}, ` +
    `queue: ${process.env['REDIS_URL'] ?? 'PostgreSQL'}, ${RUNS} runs of ${SECONDS} s`,
);

for (let run = 1; run <= RUNS; run += 1) {
  await using world = await startBenchWorld();
  console.log(`\nRun ${run}: ready ${(world.startMs / 1000).toFixed(2)} s after the start`);
  if (run === 1) printSizes('idle', world);
  const figures = {
    ...(await bare(world, await installs(world, INSTALLS))),
    ...(await overRest(world, await installs(world, INSTALLS))),
  };
  const rows = Object.entries(figures).map(([name, found]) => row(name, found));
  console.log(table(['what', 'per s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'failures'], rows));
  if (run === RUNS) printSizes('after the load', world);
}
