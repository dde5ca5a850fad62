import { expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { headOf, subscriptionParts } from '../../src/doctor/gather.ts';
import { violationsIn } from '../../src/doctor/invariants/check.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { withSnapshot } from '../../src/store/evidence/snapshot.ts';
import { PROVIDER } from '../kit/http-api.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { forFile } from '../kit/for-file.ts';
import { sellingIn } from '../kit/selling.ts';
import { subscriptionsIn } from '../kit/subscriptions.ts';

/* The doctor compares the rows of subscriptions with what the ledger has reported. */

const world = await forFile(startRenewalsWorld());
const { api, provider } = world;
const duty = await subscriptionsIn(world);
const OWNERSHIP = {
  projected: trusted<ParticipantName>('p'),
  readAs: [PROVIDER],
  model: NEWEST_MODEL,
};

async function look(): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) {
    await duty.look();
    await expect
      .poll(async () => {
        const { rows } = await api.pool.query('select from change where finished_at is null');
        return rows.length;
      })
      .toBe(0);
  }
}

async function pass(ms: number): Promise<void> {
  api.clock.advance(ms);
  await look();
}

/** Makes the ledger report its time, which it otherwise does with every update. */
const reportTime = async () =>
  api.pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object('s', $1::text) where stream = 'updates'`,
    [new Date(api.clock.nowMs()).toISOString()],
  );

async function violations(): Promise<string[]> {
  await reportTime();
  return withSnapshot(api.pool, new AbortController().signal, async (snapshot) => {
    const found: string[] = [];
    for await (const { evidence } of subscriptionParts(snapshot, await headOf(snapshot, OWNERSHIP)))
      found.push(...violationsIn(evidence).map(({ invariant, what }) => `${invariant}: ${what}`));
    return found;
  });
}

/** Runs a statement that damages rows, reads the violations that are found, and repairs the rows. */
async function planted(plant: string, undo: string): Promise<string[]> {
  // Runs a statement without triggers, so that the damage does not make any subscription due.
  const silently = (sql: string) =>
    api.pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
  await silently(plant);
  try {
    return await violations();
  } finally {
    await silently(undo);
  }
}

const sold = await sellingIn(world).sell(
  await sellingIn(world).newPlan({
    period: 'P30D',
    prepareUntilDuration: 'P2D',
    settleBeforeDuration: 'P3D',
    renews: { tries: 3 },
  }),
);
const license = (await world.shown(sold.json().licenseId))['lifecycleId'] as string;
const keep = (of: string, columns: string) =>
  `create table kept as select * from ${of}; update ${of} set ${columns}`;
const restore = (of: string, id: string, column: string) =>
  `update ${of} o set ${column} = k.${column} from kept k where k.${id} = o.${id}; drop table kept`;

test('sound subscriptions break nothing at any stage', async () => {
  expect(await violations()).toEqual([]);
  await look();
  expect(await violations()).toEqual([]);
  // The first offer was not paid, and the second one is open.
  await pass(3 * DAY_MS + HOUR_MS);
  expect(await violations()).toEqual([]);
  await provider.post(`/licenses/${license}/suspend`, { reason: 'chargeback' });
  expect(await violations()).toEqual([]);
  await look();
  expect(await violations()).toEqual([]);
  await provider.post(`/licenses/${license}/reinstate`, { reason: 'settled' });
  await look();
  expect(await violations()).toEqual([]);
});

test('a row that misses a step or a payment is found', async () => {
  const restored = restore('subscription', 'lifecycle_id', 'due_at');
  expect(await planted(keep('subscription', 'due_at = null'), restored)).toEqual([
    expect.stringMatching(
      /^I18: the subscription of license-\w+ has no time for its next check, but its next action is due at .*Z: the offer is open$/u,
    ),
  ]);
  const late = keep('subscription', `due_at = '2999-01-01'`);
  expect(await planted(late, restored)).toEqual([
    expect.stringMatching(
      /^I18: .* has its next check at 2999-01-01T.*, but its next action is due at .*Z/u,
    ),
  ]);
  const deaf = keep('subscription', 'offer_id = null');
  expect(await planted(deaf, restore('subscription', 'lifecycle_id', 'offer_id'))).toEqual([
    expect.stringMatching(
      /^I18: .* has no check for payments of its open offer tenure:offer:.*:3$/u,
    ),
  ]);
});

test('offers that must not stand, and a period that was paid twice, are found', async () => {
  const ended = `lifecycle where kind = 'renewal' and ended_at is not null`;
  const open = `create table kept as select * from ${ended};
    update lifecycle set ended_at = null where id in (select max(id) from kept)`;
  expect(await planted(open, restore('lifecycle', 'id', 'ended_at'))).toContainEqual(
    expect.stringMatching(
      /^I19: licence license-\w+ has 2 open offers for the same period, tenure:offer:.*$/u,
    ),
  );
  const over = `create table kept as select * from lifecycle where kind = 'license';
    update lifecycle set ended_at = created_at where id = '${license}'`;
  expect(await planted(over, restore('lifecycle', 'id', 'ended_at'))).toContainEqual(
    expect.stringMatching(
      /^I19: the renewal offer tenure:offer:.* of licence license-\w+ was made at .*, after the end of the licence at /u,
    ),
  );
  const suspended = `create table kept as select * from license_record;
    update license_record set suspended_at = now() - interval '1 hour', suspended_for = 'x' where lifecycle_id = '${license}'`;
  const reinstated = `update license_record set suspended_at = null, suspended_for = null; drop table kept`;
  expect(await planted(suspended, reinstated)).toContainEqual(
    expect.stringMatching(
      /^I19: the renewal offer tenure:offer:.* was recorded at .*, although the licence has been suspended/u,
    ),
  );
  const paid = `create table kept as select * from ${ended};
    update lifecycle set state = 'renewed' where id in (select id from kept)`;
  expect(await planted(paid, restore('lifecycle', 'id', 'state'))).toContainEqual(
    expect.stringMatching(
      /^I20: licence license-\w+ was paid 2 times for the same period: tenure:offer:/u,
    ),
  );
  expect(await violations()).toEqual([]);
});
