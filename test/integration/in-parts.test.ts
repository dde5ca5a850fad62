import { expect, test } from 'vitest';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createPlans } from '../../src/store/product/plans.ts';
import { createWebhooks } from '../../src/store/webhooks/webhooks.ts';
import { allOf } from '../kit/all-of.ts';
import { forFile } from '../kit/for-file.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { PROVIDER, io } from '../kit/store-rows.ts';

/* Rows of which a caller may create any number. They are read and deleted in batches of limited size. */

const { pool } = await forFile(postgresStore());

const ROWS = 2 * STORE_LIMITS.partMax + 1;

await pool.query(`
  create table gone (tx xid8, rows integer);
  create function count_gone() returns trigger language plpgsql as
    'begin insert into gone select pg_current_xact_id(), count(*) from old_rows; return null; end';
  create trigger count_gone after delete on delivery
    referencing old table as old_rows for each statement execute function count_gone();
  create trigger count_gone after delete on session
    referencing old table as old_rows for each statement execute function count_gone();`);

/** Returns how many rows each transaction has deleted since the last call, the largest number first. */
async function deleted(): Promise<number[]> {
  const { rows } = await pool.query<{ rows: bigint }>(
    `with taken as (delete from gone returning tx, rows)
     select sum(rows) as rows from taken group by tx having sum(rows) > 0 order by 1 desc`,
  );
  return rows.map((row) => Number(row.rows));
}

async function withDeliveries(id: string, tenantId: string | null): Promise<void> {
  const webhook = { id, party: PROVIDER, createdBy: 'anna', url: 'https://a.example/', types: [] };
  await createWebhooks(pool).add({ ...webhook, secret: 's', tenantId }, io());
  await pool.query(
    `insert into delivery (webhook_id, message_id, type, body)
     select $1, 'evt_' || n, 'tenure.test', '{}' from generate_series(1, $2::integer) n`,
    [id, ROWS],
  );
}

const PARTS = [STORE_LIMITS.partMax, STORE_LIMITS.partMax, 1];

test('the deliveries of a webhook', async () => {
  await withDeliveries('one', null);
  const webhooks = createWebhooks(pool);
  const by = { party: PROVIDER, subject: 'anna' };
  expect(await webhooks.remove('one', by, io())).toBe(true);
  expect(await deleted()).toEqual(PARTS);
  expect(await webhooks.list(PROVIDER, io())).toEqual([]);
});

test('the deliveries and the sessions of a tenant', async () => {
  const tenants = createTenants(pool, async () => undefined);
  const addresses = { walletUrl: null, clientId: null, issuerUrl: null };
  const tenant = { tenantId: 'acme', party: PROVIDER, ...addresses, internal: false, users: ['u'] };
  expect(await tenants.add(tenant, io())).toBe('added');
  await withDeliveries('two', 'acme');
  await pool.query(
    `insert into session (id_hash, tenant_id, registered_tenant, party, roles, subject, name, created_at, seen_at)
     select sha256(n::text::bytea), 'acme', 'acme', $1, '{}', 'subject-' || n, 'n', now(), now()
     from generate_series(1, $2::integer) n`,
    [PROVIDER, ROWS],
  );
  expect(await tenants.remove('acme', io())).toBe('removed');
  expect(await deleted()).toEqual([...PARTS, ...PARTS].toSorted((a, b) => b - a));
});

test('the versions of a plan', async () => {
  const newest = 2 * LIMITS.listChunk + 1;
  await pool.query(`insert into plan (provider, id, version) values ($1, 'gold', $2)`, [
    PROVIDER,
    newest,
  ]);
  await pool.query(
    `insert into plan_version (provider, plan_id, version, terms, trial_ms, grace_ms)
     select $1, 'gold', n, '{}', 0, 0 from generate_series(1, $2::integer) n`,
    [PROVIDER, newest],
  );
  const plans = createPlans(pool);
  const from = async (version?: number) => {
    const found = await allOf(plans.versions('gold', PROVIDER, io(), version));
    return found.map((each) => each.version);
  };
  expect(await from(2)).toEqual([2, 1]);
  expect(await from()).toEqual(Array.from({ length: newest }, (_, n) => newest - n));
  const versions = plans.versions('gold', PROVIDER, io())[Symbol.asyncIterator]();
  expect((await versions.next()).value).toMatchObject({ version: newest });
  await pool.query(`delete from plan_version where provider = $1`, [PROVIDER]);
  const rest = await allOf({ [Symbol.asyncIterator]: () => versions });
  expect(rest).toHaveLength(LIMITS.listChunk - 1);
});
