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
 * After the faults, the database is copied while operations are in progress, and later restored from this copy while
 * other operations are in progress. An operation that is open in the copy and took effect after the copy was made must
 * succeed, and no operation may have a second effect. The copy lacks operations that were requested later. A caller
 * that repeats such a command must get the ID of the update that was its effect.
 */

const PROMISE = 'a restored database does nothing a second time, and says what took effect';
/** The minimum number of operations that must succeed after the copy, so that the restore loses them. */
const LOST_MIN = 12;
/** The minimum number of operations that must be open when the database is copied. */
const OPEN_MIN = 3;

export interface RestoreParts {
  readonly world: World;
  readonly director: Pick<Director, 'withoutProcesses'>;
  readonly caller: Caller;
  readonly seed: number;
  readonly size: Size;
  /** How many licence lives run concurrently. */
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
 * Runs statements while there is no other connection to the database. In them, `$name` stands for the name of the
 * database, and `$copy` for the name of the copy.
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

/** The operations in a copy: each command ID, and whether its operation was open. */
type Copied = ReadonlyMap<string, boolean>;

/**
 * Returns whether an operation is open in the copy. This is false if each open operation ended after the check of the
 * database and before the end of the processes.
 */
const hasOpen = (copied: Copied): boolean => [...copied.values()].includes(true);

/** Copies the database. @returns the operations in the copy whose command IDs begin with the prefix */
async function copyDatabase(databaseUrl: string, prefix: string): Promise<Copied> {
  await alone(databaseUrl, ['create database $copy template $name']);
  const copy = named(databaseUrl, `${new URL(databaseUrl).pathname.slice(1)}_copy`);
  const rows = await rowsOf<{ command_id: string; is_open: boolean }>(
    copy,
    `select command_id, finished_at is null as is_open from change
     where starts_with(command_id, $1)`,
    [prefix],
  );
  return new Map(rows.map((row) => [row.command_id, row.is_open]));
}

/** Replaces the database by the copy and restarts the server. */
async function restoreDatabase({ databaseUrl, stores }: World): Promise<void> {
  await alone(databaseUrl, [
    'drop database $name with (force)',
    'alter database $copy rename to $name',
  ]);
  if (stores.postgres !== null) process.kill(stores.postgres.pid, 'SIGQUIT');
}

const broken = (evidence: string): Broken => ({ promise: PROMISE, evidence });

/** The operations that had succeeded before the restore, those in the copy, and those that the restore has lost. */
interface Restored {
  readonly answered: readonly OperationRecord[];
  readonly copied: Copied;
  /** For lost operations, the update ID in the tombstone, by command ID. */
  readonly lost: ReadonlyMap<string, string>;
}

/** Returns the contract IDs and the lifecycle ID in an answer. Later operations on the lifecycle do not change them. */
const idsIn = (content: string): string => {
  const { contractId, licenseId, lifecycleId } = JSON.parse(content) ?? {};
  return JSON.stringify({ contractId, licenseId, lifecycleId });
};

/**
 * Repeats a command that was answered before the restore. The answer must be the same, or name the update of the lost
 * operation. If the operation was open in the copy, its answer was recorded again, and may show a later state of the
 * lifecycle.
 */
async function checkRepeat(
  caller: Caller,
  { who, path, body, commandId, answer }: OperationRecord,
  { copied, lost }: Pick<Restored, 'copied' | 'lost'>,
): Promise<Broken[]> {
  const again = await caller.operate(who, path, body, commandId);
  const said = contentOf(again.body);
  const updateId = lost.get(commandId);
  const isSame = (before: string): boolean =>
    copied.get(commandId) === true ? idsIn(said) === idsIn(before) : said === before;
  const isRight =
    updateId === undefined
      ? again.status === answer?.status && isSame(answer.body)
      : again.body?.code === 'COMMAND_TOOK_EFFECT' && again.body.updateId === updateId;
  if (isRight) return [];
  const before = `${answer?.status} ${answer?.body}`;
  return [broken(`${commandId}: ${before}, then ${again.status} ${said}; lost: ${updateId}`)];
}

/**
 * Runs the doctor, which compares everything with the ledger. It may report effects of lost operations, and nothing
 * else.
 */
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

/**
 * Yields the operations that had succeeded and that now are neither in the copy nor have a tombstone. Also reports if
 * no operation has a tombstone.
 */
function* wrongWith({ answered, copied, lost }: Restored): Generator<string> {
  for (const { commandId } of answered) {
    const isCopied = copied.has(commandId);
    if (!isCopied && !lost.has(commandId)) yield `${commandId} succeeded, and has no tombstone`;
    if (isCopied && lost.has(commandId)) yield `${commandId} is in the copy, and has a tombstone`;
  }
  if (lost.size === 0) yield 'no operation was lost: the restore was of nothing';
}

const tombstonesOf = async (databaseUrl: string, prefix: string): Promise<Map<string, string>> => {
  const rows = await rowsOf<{ command_id: string; update_id: string }>(
    databaseUrl,
    'select command_id, update_id from tombstone where starts_with(command_id, $1)',
    [prefix],
  );
  return new Map(rows.map((row) => [row.command_id, row.update_id]));
};

/**
 * Copies the database, and later restores the copy. Each time, operations are in progress and every process has just
 * been killed.
 *
 * @returns the operations in the copy, and the operations that had succeeded before the restore
 */
async function copyAndRestore(
  { world, director, say }: RestoreParts,
  records: Records,
  prefix: string,
): Promise<Omit<Restored, 'lost'>> {
  const { databaseUrl } = world;
  const good = () => records.all.filter(isGood);
  await until('operations are open', async () => {
    const open = await openOperations(databaseUrl);
    return open.filter(({ command_id: id }) => id.startsWith(prefix)).length >= OPEN_MIN;
  });
  let copied: Copied = new Map();
  await director.withoutProcesses(async () => {
    copied = await copyDatabase(databaseUrl, prefix);
  });
  const later = () => good().filter(({ commandId }) => !copied.has(commandId));
  const isResumed = ({ commandId }: OperationRecord) => copied.get(commandId) === true;
  const isEnough = () => good().some(isResumed) || !hasOpen(copied);
  await until('operations succeed', async () => later().length >= LOST_MIN && isEnough());
  say('the database goes back to a copy');
  const answered = good();
  await director.withoutProcesses(() => restoreDatabase(world));
  return { answered, copied };
}

/**
 * Loses operations by a restore of the database. Only for a database with a single server. @returns the broken promises
 */
export async function loseOperations(parts: RestoreParts): Promise<Broken[]> {
  const { world, caller, seed, signal, say } = parts;
  if (parts.size !== 'small') return [];
  const { databaseUrl } = world;
  const prefix = `restore-${seed}`;
  const draws = drawsOf(prefix);
  const drain = new AbortController();
  const records = new Records();
  // Two answers to one command may differ, because one of them may have been given before the operation was lost.
  const load = new Load({
    ...parts,
    prefix,
    draws,
    records,
    drain: drain.signal,
    onBroken: () => undefined,
  });
  const lives = load.run();
  // This promise is awaited later. Without a handler, a rejection before that would end the process.
  lives.catch(() => undefined);
  const { answered, copied } = await copyAndRestore(parts, records, prefix);
  drain.abort();
  await lives;
  await until(
    'every operation has ended',
    async () => (await openOperations(databaseUrl)).length === 0,
  );
  const lost = await tombstonesOf(databaseUrl, prefix);
  const resumed = answered.filter(({ commandId }) => copied.get(commandId));
  say(
    `${answered.length} operations had succeeded: ${resumed.length} were open in the copy, ${lost.size} are lost`,
  );
  const repeated = [];
  for (const one of records.all.filter(isGood)) {
    repeated.push(await checkRepeat(caller, one, { copied, lost }));
  }
  return [
    ...[...wrongWith({ answered, copied, lost })].map(broken),
    ...repeated.flat(),
    ...(await checkAlways(databaseUrl)),
    ...(await checkLedger(world, signal)),
  ];
}
