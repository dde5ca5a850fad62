import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import { hearParticipant } from '../../src/app/engine/outcomes/hear-participant.ts';
import type { Contact } from '../../src/app/engine/doubts/proof.ts';
import { retryChange } from '../../src/app/desk/retry-change.ts';
import { settleEnded } from '../../src/app/engine/outcomes/settle-ended.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { ChangeId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { IO, PROVIDER } from '../kit/http-api.ts';
import { bulkActsOf, codeOf, onLane, startBulkWorld } from '../kit/http-bulk.ts';
import { PARTICIPANT } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Acts of operators after an outage: an operation can be ended or retried as soon as, by the ledger's own time, nothing
 * of it can take effect any more, and not before.
 */

const HOUR_MS = 3_600_000;
const SYNCHRONIZER = 'synchronizer::1220dd';

/**
 * The record time after which no submission of a test can be sequenced. Each test has its own; `tell` makes the streams
 * reach it.
 */
let boundMs = Date.now() + HOUR_MS;

const world = await forFile(startBulkWorld());

const { seen, waiting, preview, applied, work, actOf } = bulkActsOf(() => world);

const act = (verb: string, id: string) =>
  world.operator.post(`/ops/operations/${id}:${verb}`, { reason: 'because' });

/** Returns an answer of the participant, with the bound that follows from the answer's time. */
const heard = async (): Promise<Contact> => ({
  synchronizers: [SYNCHRONIZER],
  sentMs: Date.now() + HOUR_MS,
  overAt: new Date(boundMs).toISOString(),
});
const parts = () => ({
  model: NEWEST_MODEL,
  store: world.api.store,
  hear: heard,
  wallClock: { nowMs: () => Date.now() },
});
const OLGA: Caller = {
  party: PROVIDER,
  roles: new Set(['provider', 'operator']),
  via: 'bearer',
  tenantId: 'AppProvider',
  subject: 'olga',
  name: 'Olga',
};
const FOREVER = '9999-01-01T00:00:00Z';
const hearOpen = () => hearParticipant(parts(), PARTICIPANT, FOREVER, IO);
const settle = () => settleEnded(parts(), PARTICIPANT, null, IO);

/** Makes the streams report everything up to the bound. Later submissions get a new bound. */
async function tell(): Promise<void> {
  await world.api.pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object('${SYNCHRONIZER}', $1::text)`,
    [new Date(boundMs).toISOString()],
  );
  boundMs += HOUR_MS;
}

/** Records a creation of a licence that was submitted and never answered. */
async function lost(): Promise<{ install: string; id: string }> {
  const { install, ids } = await waiting(1);
  expect(await world.api.ledger.lose()).toBe(1);
  return { install, id: ids[0]! };
}

/** Like `lost`, but the operation has ended without a verdict, which older versions permitted. */
async function endedLost(): Promise<{ install: string; id: string }> {
  const one = await lost();
  await end(one);
  return one;
}

async function end(one: { readonly id: string }): Promise<void> {
  await world.api.pool.query(
    `with ended as (
       update change set state = 'rejected', waiting_for = null, finished_at = now() - interval '100 days',
         error = '{"code":"LEDGER_REFUSED","status":409,"message":"no","ledgerCode":"DAML_FAILURE"}'
       where id = $1 returning lane), back as (
       update lifecycle l set state = 'active' from ended e where l.lane = e.lane)
     update mailbox m set head = null from ended e where m.lane = e.lane`,
    [one.id],
  );
  await world.api.pool.query('update effect set done_at = now() where change_id = $1', [one.id]);
}

const previewOf = async (action: string, installs: readonly string[]) => {
  const found = await Promise.all(installs.map((one) => preview(onLane(action, one))));
  return found.map((reply) => {
    const { count, refused } = reply.json();
    return { count, refused };
  });
};
const MAY = {
  count: 0,
  refused: [{ reason: 'an attempt of the operation may take effect', count: 1 }],
};
const CAN = { count: 1, refused: [] };

const prune = () =>
  createRetention(world.api.pool, trusted('app-provider')).changes(
    { olderThanMs: 90 * 24 * HOUR_MS, limit: 100 },
    world.epoch,
    IO,
  );

async function inBulk(action: string, install: string): Promise<object> {
  const id = await applied(onLane(action, install));
  while ((await work()) > 0);
  return actOf(id);
}

describe('what was submitted and never answered', () => {
  test('is cancelled as soon as nothing can come of it any more, alone and in bulk', async () => {
    const [alone, bulk] = [await lost(), await lost()];
    const both = [alone.install, bulk.install];
    expect(await previewOf('cancel', both)).toEqual([MAY, MAY]);
    expect(await hearOpen()).toBe(true);
    // The bound is known, but the streams have not reached it.
    expect(await previewOf('cancel', both)).toEqual([MAY, MAY]);
    const early = await act('cancel', alone.id);
    expect(codeOf(early)).toEqual([409, 'NOT_CANCELLABLE']);
    expect(early.json().message).toContain(`ledger time passes ${new Date(boundMs).toISOString()}`);
    await tell();
    expect(await previewOf('cancel', both)).toEqual([CAN, CAN]);
    expect((await act('cancel', alone.id)).statusCode).toBe(200);
    expect(await inBulk('cancel', bulk.install)).toMatchObject({ done: 1, refused: 0 });
    for (const { id } of [alone, bulk]) {
      expect(await seen(id)).toMatchObject({
        state: 'cancelled',
        attempts: [{ answer: 'refused', explanation: expect.stringContaining('no effect') }],
      });
    }
  });
});

describe('what ended before anybody knew what came of its attempts', () => {
  test('comes to its verdict, and can be done again then, alone and in bulk, and be pruned', async () => {
    const three = [await endedLost(), await endedLost(), await endedLost()] as const;
    const [alone, bulk, old] = three;
    const installs = three.map(({ install }) => install);
    expect(await previewOf('retry', installs)).toEqual([MAY, MAY, MAY]);
    expect(await settle()).toMatchObject({ left: { proofAt: new Date(boundMs).toISOString() } });
    const early = await act('retry', alone.id);
    expect(codeOf(early)).toEqual([409, 'NOT_RETRYABLE']);
    expect(early.json().message).toContain(`ledger time passes ${new Date(boundMs).toISOString()}`);
    expect(await prune()).toBe(0);
    await tell();
    // A person may retry before the verdicts are recorded, because the proof on which the verdicts rely also permits
    // the retry.
    expect(await previewOf('retry', installs)).toEqual([CAN, CAN, CAN]);
    expect((await act('retry', alone.id)).statusCode).toBe(202);
    const proved = [{ answer: 'refused', explanation: expect.stringContaining('no effect') }];
    expect(await seen(alone.id)).toMatchObject({ state: 'rejected', attempts: proved });
    expect(await seen(old.id)).toMatchObject({ attempts: [{ answer: 'pending' }] });
    expect(await settle()).toEqual({ after: null, left: null });
    expect(await seen(old.id)).toMatchObject({ state: 'rejected', attempts: proved });
    expect(await inBulk('retry', bulk.install)).toMatchObject({ done: 1, refused: 0 });
    expect(await prune()).toBe(3);
    expect(await previewOf('retry', [old.install])).toEqual([CAN]);
    while ((await world.api.ledger.step()) > 0);
  });

  test('is asked about where it is itself a retry, by whichever of them it is named', async () => {
    const root = await endedLost();
    await settle();
    await tell();
    const retry = (await act('retry', root.id)).json();
    expect(await world.api.ledger.lose()).toBe(1);
    await end(retry);
    const again = (id: string) =>
      retryChange({ ...world.api.deps, hear: heard }, trusted(id), { by: OLGA, reason: 'x' }, IO);
    for (const id of [root.id, retry.id]) {
      await expect(again(id)).rejects.toMatchObject({
        message: expect.stringContaining(`ledger time passes ${new Date(boundMs).toISOString()}`),
      });
    }
    expect(await previewOf('retry', [root.install])).toEqual([
      { count: 0, refused: [{ reason: 'an attempt of a retry may take effect', count: 1 }] },
    ]);
    await tell();
    expect((await again(root.id)).change).toMatchObject({
      commandId: `tenure:retry:${root.id}:2`,
    });
    while ((await world.api.ledger.step()) > 0);
  });

  test('and took effect all the same is told as what it is, is not done again, and is kept', async () => {
    const { id, install } = await endedLost();
    await settle();
    await world.api.ledger.happen([], workflowIdOf(trusted<ChangeId>(id)));
    await world.api.pool.query(
      `with u as (select max("offset") as at from ledger_update)
       insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, consuming,
                             last_descendant_node_id, effective_at, package_name)
       select u.at, 0, $1, 'quickstart-licensing:Licensing.AppInstall:AppInstall', 'AppInstall_CreateLicense', '{}',
              true, 0, now(), 'quickstart-licensing' from u`,
      [install],
    );
    await tell();
    // The verdicts of the attempts are not recorded yet.
    const early = await act('retry', id);
    expect(early.json().message).toMatch(/took effect by update update-\d+$/u);
    expect(await settle()).toEqual({ after: null, left: null });
    expect(await seen(id)).toMatchObject({
      state: 'rejected',
      attempts: [
        { answer: 'accepted', explanation: expect.stringMatching(/^update update-\d+ is/u) },
      ],
    });
    const late = await act('retry', id);
    expect(codeOf(late)).toEqual([409, 'NOT_RETRYABLE']);
    expect(late.json().message).toContain('took effect by attempt 1');
    expect(await previewOf('retry', [install])).toEqual([
      { count: 0, refused: [{ reason: 'the ledger has accepted the operation', count: 1 }] },
    ]);
    await prune();
    expect(await seen(id)).toMatchObject({ attempts: [{ answer: 'accepted' }] });
  });

  test('stays without a verdict where what its participant completed was not all read', async () => {
    const { id } = await endedLost();
    await settle();
    await tell();
    const stream = `completions:${PARTICIPANT}`;
    const [before] = (
      await world.api.pool.query('select oldest_offset from query_store_offset where stream = $1', [
        stream,
      ])
    ).rows;
    const begin = (at: unknown) =>
      world.api.pool.query('update query_store_offset set oldest_offset = $2 where stream = $1', [
        stream,
        at,
      ]);
    await world.api.pool.query(
      `update query_store_offset set oldest_offset = "offset" where stream = $1`,
      [stream],
    );
    await world.api.pool.query('update change set deduplication_offset = $2 where id = $1', [
      id,
      1,
    ]);
    expect(await settle()).toEqual({ after: null, left: null });
    expect((await act('retry', id)).json().message).toContain('has not read all completions');
    expect(await seen(id)).toMatchObject({ attempts: [{ answer: 'pending' }] });
    await begin(before.oldest_offset);
    expect(await settle()).toEqual({ after: null, left: null });
    expect(await seen(id)).toMatchObject({ attempts: [{ answer: 'refused' }] });
  });
});
