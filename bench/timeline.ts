import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../cli/table.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import type { Noted } from './probe.ts';
import type { BenchWorld } from './world.ts';

/* Records the steps of a single operation: everything that enters or leaves Tenure's process, in order. */

const WARM = 50;
/** The pause between two operations, so that the steps of one do not overlap with those of the next. */
const PAUSE_MS = 60;
/** A step counts as part of an operation if it occurs in at least this share of the operations. */
const SHARE_MIN = 0.5;

interface Step {
  readonly name: string;
  /** Milliseconds since the caller has sent its request. */
  readonly beganMs: number;
  readonly endedMs: number;
}

const WRITES =
  /\b(?:insert into|update|delete from)\s+(?:only\s+)?(?:"?tenure_queue"?\.)?"?(?!(?:of|set|skip|nowait)\b)(?<table>[a-z_]+)/giu;
const shorten = (text: string): string => text.replaceAll(/\s+/gu, ' ').slice(0, 60);

/** Returns the name of a statement. For a statement without a name, returns the function that it calls. */
const nameOf = (statement: string): string =>
  shorten(statement.replace(/^(?<name>tenure-[\w-]+): .*$/su, '$<name>'));
const isBegin = (name: string): boolean => /^\s*begin\b/iu.test(name);
const isEnd = (name: string): boolean => /\b(?:commit|rollback)$/iu.test(name);

/** Combines the statements from `begin` to `commit` into one step. The step ends when the commit is answered. */
function transactionsOf(statements: readonly Noted[]): Noted[] {
  const open = new Map<number, Noted[]>();
  const found: Noted[] = [];
  for (const one of statements.toSorted((a, b) => a.atMs - b.atMs)) {
    const connection = one.connection ?? 0;
    const before = open.get(connection);
    if (isBegin(one.name)) open.set(connection, [one]);
    else if (before === undefined) found.push({ ...one, name: `statement ${nameOf(one.name)}` });
    else if (isEnd(one.name)) {
      open.delete(connection);
      const inside = before.slice(1);
      const tables = new Set(
        inside.flatMap(({ name }) =>
          [...name.matchAll(WRITES)].map(({ groups }) => groups?.['table'] ?? ''),
        ),
      );
      const wrote = tables.size === 0 ? 'reads' : `writes ${[...tables].join(', ')}`;
      const firstMs = inside[0]?.atMs ?? one.atMs;
      const name = `transaction of ${inside.length}: ${wrote}`;
      found.push(
        { ...one, atMs: before[0]?.atMs ?? firstMs, name },
        { ...one, name: `  commit of ${wrote}` },
      );
    } else before.push(one);
  }
  return found;
}

/** Returns the steps of one operation, which are those that began while it was in progress. */
function stepsOf(noted: readonly Noted[], sentMs: number, answeredMs: number): Step[] {
  const within = noted.filter(({ atMs }) => atMs >= sentMs && atMs <= answeredMs + PAUSE_MS / 2);
  const statements = within.filter(({ what }) => what === 'statement');
  const others = within.filter(({ what }) => what !== 'statement');
  const seen = new Map<string, number>();
  return [
    { what: 'request', name: 'the caller', atMs: sentMs, untilMs: answeredMs } as const,
    ...others.map((one) => ({
      ...one,
      name: `${one.what} ${one.name.replace(/commandId=.*/u, '')}`,
    })),
    ...transactionsOf(statements),
  ]
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ name, atMs, untilMs }) => {
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      const label = nth === 1 ? name : `${name} #${nth}`;
      return { name: label, beganMs: atMs - sentMs, endedMs: untilMs - sentMs };
    });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns one line for each step that most operations have, with the median times of its beginning and its end. */
export async function timeline(world: BenchWorld, operations: number): Promise<string> {
  const [install = ''] = await makeInstalls(world, 1);
  for (let n = 0; n < WARM; n += 1) await createLicense(world, install);
  await world.order({ probe: 'note' });
  const times: { readonly sentMs: number; readonly answeredMs: number }[] = [];
  for (let n = 0; n < operations; n += 1) {
    const sentMs = performance.timeOrigin + performance.now();
    await createLicense(world, install, randomUUID());
    times.push({ sentMs, answeredMs: performance.timeOrigin + performance.now() });
    await sleep(PAUSE_MS);
  }
  const file = join(world.dataDir, 'noted.json');
  await world.order({ probe: 'noted', file });
  const noted = JSON.parse(await readFile(file, 'utf8')) as Noted[];
  const steps = Map.groupBy(
    times.flatMap(({ sentMs, answeredMs }) => stepsOf(noted, sentMs, answeredMs)),
    ({ name }) => name,
  );
  const rows = [...steps]
    .filter(([, found]) => found.length >= operations * SHARE_MIN)
    .map(([name, found]) => ({
      name,
      began: median(found.map(({ beganMs }) => beganMs)),
      ended: median(found.map(({ endedMs }) => endedMs)),
      took: median(found.map(({ beganMs, endedMs }) => endedMs - beganMs)),
      share: found.length / operations,
    }))
    .toSorted((a, b) => a.began - b.began)
    .map(({ name, began, ended, took, share }) => [
      name,
      began.toFixed(1),
      ended.toFixed(1),
      took.toFixed(1),
      `${(share * 100).toFixed(0)} %`,
    ]);
  return table(['what', 'began, p50 ms', 'ended', 'took', 'of the operations'], rows);
}
