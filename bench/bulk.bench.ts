import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { fetchToken } from '../cli/commands/token.ts';
import { table } from '../cli/table.ts';
import { startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * Measures a bulk retry of 10,000 refused operations, five in each lane, among 30,000 others: its preview, and its
 * application, which records the act and all its items. Nothing is submitted, because the act is stopped at once. Then
 * measures a bulk cancel of 1,000 waiting operations, ten in each lane, from its beginning to its end. Its rate is not
 * limited.
 *
 *   node bench/bulk.bench.ts [runs=5]
 */

const RUNS = Number(process.argv[2] ?? 5);
const REFUSED = 10_000;
const OTHERS = 30_000;
const PER_LANE = 5;
const WAITING = 1_000;
const WAITING_PER_LANE = 10;
/** How many items per second are permitted. It is more than can be worked on, so the rate does not limit the act. */
const RATE = '1000';

const uuid = (of: string): string => `md5('bulk ' || ${of})::uuid`;

async function connected(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Writes rows directly to the tables, because creating them through the ledger would take minutes. */
async function fill(url: string, provider: string): Promise<void> {
  await using client = await connected(url);
  const lane = `'bulk-' || (n - 1) / ${PER_LANE}`;
  const whole = REFUSED + OTHERS;
  await client.query(`insert into mailbox (lane, next_no)
    select distinct ${lane}, ${PER_LANE + 1} from generate_series(1, ${whole}) n`);
  await client.query(
    `insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant, ledger_user,
       act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, provider, app_user, result, error)
     select ${uuid('n')}, 'bulk-' || n, 'create-license', ${lane}, (n - 1) % ${PER_LANE} + 1, $1, 'bench', 'app-provider',
       'bench', $1, '{}', 'f', case when n <= ${REFUSED} then 'rejected' else 'succeeded' end,
       now() - n * interval '1 s', now(), 1, $1, 'user::1220bb',
       case when n > ${REFUSED} then '{"status": 201, "body": null}'::json end,
       case when n <= ${REFUSED} then '{"code": "LEDGER_REFUSED", "status": 409, "message": "no"}'::jsonb end
     from generate_series(1, ${whole}) n`,
    [provider],
  );
  await client.query('analyze change');
}

/** Creates lanes whose heads wait for their next attempt. It is due only long after the bench has ended. */
async function fillWaiting(url: string, provider: string): Promise<void> {
  await using client = await connected(url);
  const lanes = WAITING / WAITING_PER_LANE;
  const id = uuid(`'waiting ' || lane || ' ' || n`);
  await client.query(`insert into mailbox (lane, head, next_no, waiting)
    select 'waiting-' || lane, ${id}, ${WAITING_PER_LANE + 1}, ${WAITING_PER_LANE - 1}
    from generate_series(1, ${lanes}) lane, generate_series(1, 1) n`);
  await client.query(
    `insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant, ledger_user,
       act_as, body, fingerprint, state, accepted_at, deduplication_offset, provider, app_user, waiting_for)
     select ${id}, 'waiting-' || lane || '-' || n, 'create-license', 'waiting-' || lane, n, $1, 'bench', 'app-provider',
       'bench', $1, '{}', 'f', case when n = 1 then 'retrying' else 'queued' end, now(), 1, $1, 'user::1220bb',
       jsonb_build_object('kind', case when n = 1 then 'backoff' else 'mailbox' end, 'detail', 'a bench', 'since', now(),
         'until', now() + interval '1 day')
     from generate_series(1, ${lanes}) lane, generate_series(1, ${WAITING_PER_LANE}) n`,
    [provider],
  );
  await client.query(`insert into effect (id, change_id, due_at)
    select 'fx-' || command_id, id, now() + interval '1 day' from change where state = 'retrying'`);
}

/**
 * Checks the result of the bulk cancel. @throws Error unless each operation was cancelled once, in each lane from the
 * last to the first
 */
async function requireWorkedOff(url: string, actId: string): Promise<void> {
  await using client = await connected(url);
  const { rows } = await client.query<{ done: number; lanes: number; ordered: number }>(
    `select coalesce(sum(done), 0)::int as done, count(*)::int as lanes,
            count(*) filter (where turns = array(select generate_series(${WAITING_PER_LANE}, 1, -1)))::int as ordered
     from (select count(*) as done, array_agg(c.mailbox_no order by a.id) as turns
           from audit a join change c on c.id = a.change_id and c.state = 'cancelled'
           where a.act = 'cancelled' and a.detail ->> 'actId' = $1 group by c.lane) l`,
    [actId],
  );
  const lanes = WAITING / WAITING_PER_LANE;
  const [seen] = rows;
  if (seen?.done !== WAITING || seen.lanes !== lanes || seen.ordered !== lanes) {
    throw new Error(`not once each, in the order of its lane: ${JSON.stringify(seen)}`);
  }
}

async function ask<T>(world: BenchWorld, token: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`${world.state.apiUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function workOff(world: BenchWorld, token: string): Promise<number> {
  const asked = { action: 'cancel', filter: { commandId: 'waiting-*' }, reason: 'a bench' };
  const preview = await ask<{ token: string }>(world, token, '/ops/operations:preview', asked);
  const began = performance.now();
  const { id } = await ask<{ id: string }>(world, token, '/ops/operations:apply', {
    token: preview.token,
    count: WAITING,
  });
  for (const giveUpMs = began + 120_000; performance.now() < giveUpMs; await sleep(100)) {
    const headers = { authorization: `Bearer ${token}` };
    const seen = await fetch(`${world.state.apiUrl}/ops/acts/${id}`, { headers });
    const { state, done } = (await seen.json()) as { state: string; done: number };
    if (state !== 'done') continue;
    if (done !== WAITING) throw new Error(`${done} of ${WAITING} were done`);
    const tookMs = performance.now() - began;
    await requireWorkedOff(world.state.databaseUrl, id);
    return tookMs;
  }
  throw new Error('the act was not worked off within 2 minutes');
}

async function measure(
  world: BenchWorld,
  token: string,
  filter: object,
): Promise<[number, number]> {
  const began = performance.now();
  const asked = { action: 'retry', filter, reason: 'a bench' };
  const preview = await ask<{ count: number; token: string }>(
    world,
    token,
    '/ops/operations:preview',
    asked,
  );
  if (preview.count !== REFUSED) throw new Error(`the preview counts ${preview.count}`);
  const previewed = performance.now();
  const { id } = await ask<{ id: string }>(world, token, '/ops/operations:apply', {
    token: preview.token,
    count: preview.count,
  });
  const applied = performance.now();
  await ask(world, token, `/ops/acts/${id}:stop`, { reason: 'measured' });
  return [previewed - began, applied - previewed];
}

await using world = await startBenchWorld({ env: { TENURE_BULK_RATE: RATE } });
const { localnet, databaseUrl, providerParty } = world.state;
if (localnet === null) throw new Error('the bench needs LocalNet');
const token = await fetchToken(localnet, 'operator');
await fill(databaseUrl, providerParty);
const rows: string[][] = [];
for (const [name, filter] of [
  ['refused', { state: ['rejected'] }],
  ['everything', {}],
] as const) {
  for (let run = 0; run < RUNS; run += 1) {
    const [previewMs, applyMs] = await measure(world, token, filter);
    rows.push([name, ...[previewMs, applyMs, previewMs + applyMs].map((ms) => ms.toFixed(0))]);
  }
}
console.log(table(['filter', 'preview ms', 'apply ms', 'both'], rows));

await fillWaiting(databaseUrl, providerParty);
const workedOffMs = await workOff(world, token);
console.log(
  `${WAITING} waiting operations cancelled by one act in ${(workedOffMs / 1_000).toFixed(1)} s, ` +
    `${(WAITING / (workedOffMs / 1_000)).toFixed(0)}/s, once each, in the order of their lanes`,
);
