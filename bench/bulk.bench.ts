import { Client } from 'pg';
import { fetchToken } from '../cli/commands/token.ts';
import { table } from '../cli/table.ts';
import { startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * A bulk retry of 10,000 refused operations, five in each lane, beside 30,000 others: its preview, and its application,
 * which records the act and all its items. Nothing is submitted: the act is stopped at once.
 *
 *   node bench/bulk.bench.ts [runs=5]
 */

const RUNS = Number(process.argv[2] ?? 5);
const REFUSED = 10_000;
const OTHERS = 30_000;
const PER_LANE = 5;

const uuid = (of: string): string => `md5('bulk ' || ${of})::uuid`;

/** Straight into the tables: through the ledger it would take minutes. */
async function fill(url: string, provider: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
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
  await client.end();
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
    '/ops/commands:preview',
    asked,
  );
  if (preview.count !== REFUSED) throw new Error(`the preview counts ${preview.count}`);
  const previewed = performance.now();
  const { id } = await ask<{ id: string }>(world, token, '/ops/commands:apply', {
    token: preview.token,
    count: preview.count,
  });
  const applied = performance.now();
  await ask(world, token, `/ops/acts/${id}:stop`, { reason: 'measured' });
  return [previewed - began, applied - previewed];
}

await using world = await startBenchWorld();
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
