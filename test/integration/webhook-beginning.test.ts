import { beforeEach, expect, test } from 'vitest';
import { EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';

/* A webhook gets every event after its starting point, even if it is created while events are being numbered. */

const under = await forFile(postgresStore());
const PARTY: Party = trusted('listening');
const epoch = (await under.leases.acquire(EVENTS_LEASE, 'test', 60_000, io())) ?? 0n;

const add = (id: string, tenantId: string | null) =>
  under.webhooks.add(
    { id, party: PARTY, createdBy: 'x', url: 'http://x/', types: [], secret: 'whsec_x', tenantId },
    io(),
  );
const happen = (subject: string) =>
  under.pool.query('insert into arrival (events) values ($1)', [
    JSON.stringify([{ type: 'tenure.lifecycle.changed', subject, parties: [PARTY], data: {} }]),
  ]);
const number = () => under.events.number(10, epoch, io());

/** Deletes the rows of the previous test, and moves the cursor of the webhooks to the newest number. */
beforeEach(async () => {
  await under.pool.query('delete from webhook; delete from tenant');
  await number();
  while (await under.deliveries.fanOut('test', epoch, io()));
});

/** Waits until this number of sessions wait for a lock. */
const waiters = (count: number) =>
  expect
    .poll(
      async () => {
        const { rows } = await under.pool.query<{ n: number }>(
          `select count(*)::integer as n from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0]?.n;
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(count);

/** Holds a lock while `work` starts a session that needs it. */
async function whileLocked(lock: string, work: () => Promise<void>): Promise<void> {
  const client = await under.pool.connect();
  try {
    await client.query(`begin; ${lock}`);
    await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Returns the events that were delivered to the webhook, and the events that should have been delivered. */
async function told(id: string) {
  while (await under.deliveries.fanOut('test', epoch, io()));
  const { rows } = await under.pool.query<{ told: string[]; owed: string[] }>(
    `select array(select d.message_id from delivery d where d.webhook_id = w.id order by 1) as told,
       array(select 'evt_' || e.seq from event e
             where e.seq > w.after_seq and w.party = any(e.parties) and e.type not like 'tenure.audit.%') as owed
     from webhook w where w.id = $1`,
    [id],
  );
  return rows[0];
}

test('events that are numbered while a webhook is being added', async () => {
  let added: Promise<unknown> = Promise.resolve();
  let numbered: Promise<unknown> = Promise.resolve();
  // The last statement of the transaction that adds a webhook writes the audit log.
  await whileLocked('lock table audit in exclusive mode', async () => {
    added = add('first', null);
    await waiters(1);
    await happen('meanwhile');
    numbered = number();
    await Promise.race([waiters(2), numbered]);
  });
  expect(await Promise.all([added, numbered])).toMatchObject([{ id: 'first' }, { count: 1 }]);
  const { told: all, owed } = (await told('first'))!;
  expect(owed).toHaveLength(1);
  expect(all).toEqual(owed);
});

test('a webhook that was slow to be added begins behind what was numbered meanwhile', async () => {
  await under.pool.query(`insert into tenant (tenant_id, party) values ('slow', 'listening')`);
  let added: Promise<unknown> = Promise.resolve();
  await whileLocked(`select from tenant where tenant_id = 'slow' for update`, async () => {
    added = add('second', 'slow');
    await waiters(1);
    await happen('meanwhile');
    expect(await number()).toMatchObject({ isForWebhooks: false });
  });
  expect(await added).toMatchObject({ id: 'second' });
  expect(await told('second')).toEqual({ told: [], owed: [] });
  await happen('after');
  await number();
  const { told: all, owed } = (await told('second'))!;
  expect(owed).toHaveLength(1);
  expect(all).toEqual(owed);
});

test('a webhook that is deleted while it is tested gets no delivery', async () => {
  await add('gone', null);
  const deleting = await under.pool.connect();
  await deleting.query(`begin; delete from webhook where id = 'gone'`);
  const message = { messageId: 'test', type: 'tenure.webhook.test', body: '{}' };
  const tested = under.webhooks.deliver('gone', { party: PARTY, subject: 'x' }, message, io());
  await waiters(1);
  await deleting.query('commit');
  deleting.release();
  expect(await tested).toBeNull();
});
