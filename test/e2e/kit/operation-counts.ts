import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLicense, makeInstalls } from '../../../bench/create-license.ts';
import type { Noted } from '../../../bench/probe.ts';
import type { BenchWorld } from '../../../bench/world.ts';
import { rowsOf } from '../../../chaos/rows.ts';

/*
 * The cost of operations, in events whose number does not depend on the machine: entries of the write-ahead log, which
 * contains every row and every commit, and calls that a probe counts where they leave or enter Tenure's process.
 */

/** The cost of one operation, or of a whole batch of operations. */
export interface Counts {
  /** Transactions that wrote something. */
  commits: number;
  /** Transactions that recorded requests. Each batch of requests needs one. */
  recordings: number;
  /** Messages to PostgreSQL, including those of the queue. */
  statements: number;
  /** Statements that set properties of a transaction or connection. One message may contain several. */
  settings: number;
  /** Notifications that a listening connection received. */
  notifications: number;
  /** Calls to participants, by method. */
  calls: Record<string, number>;
  /** Rows that were inserted, updated or deleted, by table. */
  rows: Record<string, number>;
}

/** One counted event: its kind, and the name of what it concerns. */
interface Happening {
  readonly kind: 'commit' | 'statement' | 'setting' | 'notification' | 'call' | 'row';
  readonly name: string;
}

/** How often to check whether everything is idle. */
const LOOK_MS = 20;
const LOOKS_AT_REST = 5;
const LOOKS_MAX = 100;

const LSN = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as lsn`;

/** Tables to which background tasks write even if there are no requests. */
const OF_CLOCKS = "('lease', 'query_store_offset', 'process_clock', 'meta')";

/**
 * A query of the log for row changes in Tenure's tables and the queue's, with their positions, and for the commits of
 * transactions with such changes.
 */
const LOG = `
  with touched as (
    select distinct w.start_lsn, w.xid, c.relname, n.nspname,
           regexp_replace(regexp_replace(lower(w.record_type), '[+]init$', ''), '^hot_', '') as did
    from pg_get_wal_block_info('0/0'::pg_lsn + $1::numeric, pg_current_wal_flush_lsn(), false) w
      join pg_class c on pg_relation_filenode(c.oid) = w.relfilenode
      join pg_namespace n on n.oid = c.relnamespace
    where w.relforknumber = 0 and w.resource_manager = 'Heap'
      and n.nspname in ('public', 'tenure_queue') and c.relname not in ${OF_CLOCKS}
  )
  select pg_wal_lsn_diff(start_lsn, '0/0')::float8 as lsn, 'row' as kind,
         case nspname when 'public' then '' else 'queue ' end || relname || ' ' || did as name
  from touched where did in ('insert', 'update', 'delete')
  union all
  select pg_wal_lsn_diff(start_lsn, '0/0')::float8, 'commit', 'commit'
  from pg_get_wal_records_info('0/0'::pg_lsn + $1::numeric, pg_current_wal_flush_lsn())
  where resource_manager = 'Transaction' and record_type = 'COMMIT' and xid in (select xid from touched)`;

/** A piece of work: its beginning and its end, as positions in the log and as times. */
interface Span {
  readonly lsn: readonly [number, number];
  readonly ms: readonly [number, number];
}

const nowMs = (): number => performance.timeOrigin + performance.now();

async function lsnNow({ state }: BenchWorld): Promise<number> {
  const [row] = await rowsOf<{ lsn: number }>(state.databaseUrl, LSN);
  return row?.lsn ?? 0;
}

/** Waits until nothing has been written for a while, apart from the writes of background tasks, which never stop. */
async function rest(world: BenchWorld): Promise<number> {
  let last = await lsnNow(world);
  for (let looks = 0, still = 0; still < LOOKS_AT_REST && looks < LOOKS_MAX; looks += 1) {
    await sleep(LOOK_MS);
    const now = await lsnNow(world);
    still = now === last ? still + 1 : 0;
    last = now;
  }
  return last;
}

const nameOf = ({ name }: Noted): string => name.replaceAll(/\s+/gu, ' ').slice(0, 80);

/** Returns the statements in which a script sets properties of a transaction or connection. */
const settingsIn = ({ what, name }: Noted): readonly string[] =>
  what === 'statement' && /^(?:begin|set|reset)\b/u.test(name)
    ? name.split('; ').filter((each) => /^(?:set|reset|select set_config)\b/u.test(each))
    : [];

/** Returns the events in each of the spans. */
function happenedIn(
  span: Span,
  log: readonly (Happening & { lsn: number })[],
  noted: readonly Noted[],
): Happening[] {
  const seen = noted.flatMap((one) => {
    const { what: kind, atMs } = one;
    if (kind === 'request' || kind === 'element') return [];
    if (atMs < span.ms[0] || atMs >= span.ms[1]) return [];
    const settings = settingsIn(one).map((name) => ({ kind: 'setting' as const, name }));
    return [{ kind, name: nameOf(one) }, ...settings];
  });
  return [...log.filter(({ lsn }) => lsn >= span.lsn[0] && lsn < span.lsn[1]), ...seen];
}

/**
 * Performs a piece of work `times` times. Waits after each until everything is idle.
 *
 * @returns for each time, the number of events of each kind and name
 */
async function observe(
  world: BenchWorld,
  times: number,
  work: () => Promise<void>,
): Promise<ReadonlyMap<string, number>[]> {
  const spans: Span[] = [];
  let lsn = await rest(world);
  const firstLsn = lsn;
  await world.order({ probe: 'note' });
  for (let n = 0; n < times; n += 1) {
    const beganMs = nowMs();
    await work();
    const endLsn = await rest(world);
    spans.push({ lsn: [lsn, endLsn], ms: [beganMs, nowMs()] });
    lsn = endLsn;
  }
  const file = join(world.dataDir, 'noted.json');
  await world.order({ probe: 'noted', file });
  const noted = JSON.parse(await readFile(file, 'utf8')) as Noted[];
  const log = await rowsOf<Happening & { lsn: number }>(world.state.databaseUrl, LOG, [firstLsn]);
  return spans.map((span) => {
    const happened = Map.groupBy(
      happenedIn(span, log, noted),
      ({ kind, name }) => `${kind} ${name}`,
    );
    return new Map([...happened].map(([key, all]) => [key, all.length]));
  });
}

/** The name of a statement that is sent once for each batch of requests, whatever the size of the batch. */
const RECORDING = 'tenure-lock-free-mailboxes: ';

/**
 * Returns the lowest value of each count. Events that occur in only some of the runs come from background tasks, and
 * not from the work.
 */
function leastOf(found: readonly ReadonlyMap<string, number>[]): Counts {
  const keys = [...new Set(found.flatMap((one) => [...one.keys()]))].toSorted();
  const counts: Counts = {
    commits: 0,
    recordings: 0,
    statements: 0,
    settings: 0,
    notifications: 0,
    calls: {},
    rows: {},
  };
  for (const key of keys) {
    const least = Math.min(...found.map((one) => one.get(key) ?? 0));
    const [kind = '', ...words] = key.split(' ');
    const name = words.join(' ');
    if (least === 0) continue;
    if (kind === 'statement' && name.startsWith(RECORDING)) counts.recordings += least;
    if (kind === 'commit') counts.commits += least;
    else if (kind === 'statement') counts.statements += least;
    else if (kind === 'setting') counts.settings += least;
    else if (kind === 'notification') counts.notifications += least;
    else if (kind === 'call') counts.calls[name] = least;
    else counts.rows[name] = least;
  }
  return counts;
}

const ALONE_TIMES = 10;
const BATCHES_MAX = 12;
export const BATCH = 50;
const WARM_TIMES = 3;
const ROUNDS_MAX = 5;

/**
 * Creates the objects that counting needs. After this, the server keeps the write-ahead log until its entries have been
 * counted.
 */
export async function prepareCounting({ state }: BenchWorld): Promise<void> {
  await rowsOf(state.databaseUrl, 'create extension if not exists pg_walinspect');
  await rowsOf(state.databaseUrl, "alter system set wal_keep_size = '1GB'");
  await rowsOf(state.databaseUrl, 'select pg_reload_conf()');
}

type IsEnough = (counts: Counts) => boolean;

/**
 * Counts one `create-license` that runs alone. On a busy machine an operation takes longer, so that background tasks
 * poll during it. Then further operations are counted, up to a maximum.
 *
 * @param isEnough returns whether the counts are low enough, so that counting can end
 */
export async function countAlone(world: BenchWorld, isEnough: IsEnough): Promise<Counts> {
  const [install = ''] = await makeInstalls(world, 1);
  const work = () => createLicense(world, install, randomUUID());
  for (let n = 0; n < WARM_TIMES; n += 1) await work();
  const found: ReadonlyMap<string, number>[] = [];
  for (let rounds = 1; ; rounds += 1) {
    found.push(...(await observe(world, ALONE_TIMES, work)));
    const counts = leastOf(found);
    if (rounds === ROUNDS_MAX || isEnough(counts)) return counts;
  }
}

/** The channel on which Node's `fetch` reports each request that has been passed to the kernel completely. */
const SENT = 'undici:request:bodySent';

/** Resolves when this number of requests to a server has been sent. */
function sending(url: string, count: number): Disposable & { readonly all: Promise<void> } {
  const { origin } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  const onSent = (message: unknown): void => {
    const { request } = message as { request: { origin: string | URL } };
    if (new URL(request.origin).origin !== origin) return;
    sent += 1;
    if (sent === count) resolve();
  };
  subscribe(SENT, onSent);
  return { all: promise, [Symbol.dispose]: () => void unsubscribe(SENT, onSent) };
}

/**
 * Requests one licence on each install. All requests reach Tenure at the same moment, because its process is stopped
 * until all of them have been sent. It then reads them one after another before it reads from its database connection
 * again. So, however slow the machine is, the first request is recorded alone, and the others form the next batch.
 */
async function createTogether(world: BenchWorld, installs: readonly string[]): Promise<void> {
  using sent = sending(world.state.apiUrl, installs.length);
  process.kill(world.pid, 'SIGSTOP');
  const answers = Promise.all(installs.map((each) => createLicense(world, each, randomUUID())));
  try {
    // If a request fails, it may never have been sent, so the failure also ends the wait.
    await Promise.race([sent.all, answers]);
  } finally {
    process.kill(world.pid, 'SIGCONT');
  }
  await answers;
}

/**
 * Sends fifty requests at once, each for an install of its own, and returns the cost of all of them together. How they
 * are recorded is deterministic. The costs after that depend on the machine: jobs end separately, and on a busy machine
 * a completion may be applied before the update that it names, so that a change is written once more. Therefore batches
 * are counted until the cost of one is low enough, up to a maximum, and the lowest cost is returned. If a count is
 * higher in all batches, the cost has really risen.
 *
 * @param isEnough returns whether the counts are low enough, so that counting can end
 */
export async function countBatch(world: BenchWorld, isEnough: IsEnough): Promise<Counts> {
  const installs = await makeInstalls(world, BATCH);
  const work = () => createTogether(world, installs);
  await work();
  const found: ReadonlyMap<string, number>[] = [];
  for (let batches = 1; ; batches += 1) {
    found.push(...(await observe(world, 1, work)));
    const counts = leastOf(found);
    if (batches === BATCHES_MAX || isEnough(counts)) return counts;
  }
}
