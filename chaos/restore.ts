import { until } from '../embedded/until.ts';
import type { Finding } from '../src/main/doctor.ts';
import { examine } from '../src/main/doctor.ts';
import type { Broken } from './broken.ts';
import type { Caller } from './caller.ts';
import { checkAlways, openOperations } from './checks.ts';
import type { Director } from './director.ts';
import { drawsOf } from './draws.ts';
import { Load } from './load.ts';
import type { OperationRecord } from './records.ts';
import { Records, contentOf, isGood } from './records.ts';
import { rowsOf } from './rows.ts';
import type { Size } from './sizes.ts';
import type { World } from './world.ts';

/*
 * After the faults, the database goes back to a copy while operations are under way. Operations that took effect since
 * take no second effect, and a caller that repeats a command gets the update ID.
 */

const PROMISE = 'a restored database does nothing a second time, and says what took effect';
/** How many operations have succeeded, at least, when they are lost. */
const LOST_MIN = 12;

export interface RestoreParts {
  readonly world: World;
  readonly director: Pick<Director, 'withoutProcesses'>;
  readonly caller: Caller;
  readonly seed: number;
  readonly size: Size;
  /** Lives at a time. */
  readonly actors: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const named = (databaseUrl: string, database: string): string => {
  const url = new URL(databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
};

/**
 * Runs statements while the database has no connections. `$name` stands for the name of the database, `$copy` for the
 * name of the copy.
 */
async function alone(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const server = named(databaseUrl, 'postgres');
  const run = (sql: string) =>
    rowsOf(server, sql.replaceAll('$name', `"${name}"`).replaceAll('$copy', `"${name}_copy"`));
  await run('alter database $name with allow_connections false');
  await rowsOf(
    server,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
    [name],
  );
  for (const sql of statements) await run(sql);
  await run('alter database $name with allow_connections true');
}

const copyDatabase = (databaseUrl: string): Promise<void> =>
  alone(databaseUrl, ['create database $copy template $name']);

/** Replaces the database by the copy and restarts the server. */
async function restoreDatabase({ databaseUrl, stores }: World): Promise<void> {
  await alone(databaseUrl, [
    'drop database $name with (force)',
    'alter database $copy rename to $name',
  ]);
  if (stores.postgres !== null) process.kill(stores.postgres.pid, 'SIGQUIT');
}

const broken = (evidence: string): Broken => ({ promise: PROMISE, evidence });

/** Repeats a command that was answered before: its answer is the same, or names the update that is lost. */
async function checkRepeat(
  caller: Caller,
  { who, path, body, commandId, answer }: OperationRecord,
  lost: ReadonlyMap<string, string>,
): Promise<Broken[]> {
  const again = await caller.operate(who, path, body, commandId);
  const said = contentOf(again.body);
  const updateId = lost.get(commandId);
  const isRight =
    updateId === undefined
      ? again.status === answer?.status && said === answer.body
      : again.body?.code === 'COMMAND_TOOK_EFFECT' && again.body.updateId === updateId;
  if (isRight) return [];
  const before = `${answer?.status} ${answer?.body}`;
  return [broken(`${commandId}: ${before}, then ${again.status} ${said}; lost: ${updateId}`)];
}

/** Has the doctor compare everything with the ledger: it may find effects of lost operations, and nothing else. */
async function checkLedger(world: World, signal: AbortSignal): Promise<Broken[]> {
  const changes = await rowsOf<{ id: string }>(world.databaseUrl, 'select id from change');
  const known = new Set(changes.map(({ id }) => id));
  const isLost = ({
    invariant,
    subjects: { changeId },
  }: NonNullable<Finding['violation']>): boolean =>
    invariant === 'I3' && changeId !== undefined && !known.has(changeId);
  const wrong: string[] = [];
  await examine({
    environment: await world.environment(),
    replay: true,
    deep: true,
    onFinding: ({ violation }) => {
      if (violation !== undefined && !isLost(violation))
        wrong.push(`${violation.invariant}: ${violation.what}`);
    },
    onProgress: () => undefined,
    signal,
  });
  return wrong.map(broken);
}

/** Loses operations with the database, where it has one server. @returns the broken promises */
export async function loseOperations(parts: RestoreParts): Promise<Broken[]> {
  const { world, director, caller, seed, signal, say } = parts;
  if (parts.size !== 'small') return [];
  const prefix = `restore-${seed}`;
  const draws = drawsOf(prefix);
  await director.withoutProcesses(() => copyDatabase(world.databaseUrl));
  const drain = new AbortController();
  const records = new Records();
  // Two answers to one command may differ: one came before the operation was lost.
  const load = new Load({
    ...parts,
    prefix,
    draws,
    records,
    drain: drain.signal,
    onBroken: () => undefined,
  });
  const lives = load.run();
  // Awaited later; it may fail before.
  lives.catch(() => undefined);
  const good = () => records.all.filter(isGood);
  await until('operations succeed', async () => good().length >= LOST_MIN);
  say('the database goes back to a copy');
  const answered = good();
  await director.withoutProcesses(() => restoreDatabase(world));
  drain.abort();
  await lives;
  const { databaseUrl } = world;
  await until(
    'every operation has ended',
    async () => (await openOperations(databaseUrl)).length === 0,
  );
  const tombstones = await rowsOf<{ command_id: string; update_id: string }>(
    databaseUrl,
    'select command_id, update_id from tombstone where starts_with(command_id, $1)',
    [prefix],
  );
  const lost = new Map(tombstones.map((one) => [one.command_id, one.update_id]));
  say(`${answered.length} operations had succeeded, and ${lost.size} took effect and are lost`);
  const untold = answered.filter(({ commandId }) => !lost.has(commandId));
  const repeated = [];
  for (const one of good()) repeated.push(await checkRepeat(caller, one, lost));
  return [
    ...(lost.size === 0 ? [broken('no operation was lost: the restore was of nothing')] : []),
    ...untold.map(({ commandId }) => broken(`${commandId} succeeded, and has no tombstone`)),
    ...repeated.flat(),
    ...(await checkAlways(databaseUrl)),
    ...(await checkLedger(world, signal)),
  ];
}
