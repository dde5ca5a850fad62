import { describe, expect, test } from 'vitest';
import { PROVIDER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { postConfirmed, tenantOperators } from '../kit/http-ops.ts';
import { PARTICIPANT } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* Pages on which the provider's operators see the maintenance of the whole deployment. */

/** The synchronizers to which the participant reports a connection. */
let connected = (): Promise<readonly string[]> => Promise.resolve([]);

const api = await forFile(
  startApi(({ gateway }) => ({
    gateway: { ...gateway, synchronizers: () => connected() },
  })),
);
const operator = await asking(api, PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });
const { tenant } = await tenantOperators(api);

async function get(url: string) {
  const { statusCode, body, json } = await operator.get(url);
  expect(`${statusCode} ${body.slice(0, 300)}`).toMatch(/^200 /u);
  return json();
}

describe('streams and leases', () => {
  test('tell how far the ledger has been followed, and by whom', async () => {
    await api.ledger.happen([]);
    const streams = await get('/ops/streams');
    const end = Number(api.ledger.end());
    expect(streams).toEqual(
      ['updates', `completions:${PARTICIPANT}`].map((stream) => ({
        stream,
        participant: PARTICIPANT,
        offset: end,
        oldestOffset: 1,
        recordTime: expect.any(String),
        ledgerEnd: end,
        lagOffsets: 0,
        lagSeconds: 0,
      })),
    );
    await api.pool.query(
      `update query_store_offset set "offset" = 1, record_time = now() - interval '1 minute' where stream = 'updates'`,
    );
    const [behind] = await get('/ops/streams');
    expect(behind).toMatchObject({ offset: 1, lagOffsets: end - 1 });
    expect(behind.lagSeconds).toBeGreaterThan(59);
    expect(await get('/ops/leases')).toEqual([
      { name: 'projector', holder: 'test', epoch: 1, until: expect.any(String), held: true },
    ]);
  });

  test('tell why requests are held', async () => {
    await api.pool.query(
      `insert into standstill (participant, kind, since, detail) values ($1, 'replay', now(), 'requests are held')`,
      [PARTICIPANT],
    );
    const reasons = (await get('/ops/streams')).map(({ reason }: { reason?: string }) => reason);
    expect(reasons).toEqual([undefined, 'requests are held']);
    await api.pool.query('delete from standstill');
  });
});

describe('synchronizers', () => {
  const LEFT = 'left::1220aa';
  const STAYS = 'stays::1220bb';
  const url = '/ops/synchronizers';
  const tell = (times: Record<string, string>) =>
    api.pool.query(
      `update query_store_offset set synchronizer_times = synchronizer_times || $1::jsonb where stream <> 'updates'`,
      [times],
    );
  const provenTime = async () => {
    const { rows } = await api.pool.query<{ at: string | null }>('select proven_time($1) as at', [
      PARTICIPANT,
    ]);
    return rows[0]?.at ?? null;
  };
  const giveUp = (ask: Ask, synchronizer: string) =>
    postConfirmed(ask, `${url}:give-up`, {
      participant: PARTICIPANT,
      synchronizer,
      reason: 'shut down',
    });

  test('one that was left holds up every proof until a person gives it up, and counts again once it is told of', async () => {
    const [long, now] = ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'];
    await api.pool.query(`update query_store_offset set synchronizer_times = '{}'`);
    expect(await provenTime()).toBeNull();
    await tell({ [LEFT]: long, [STAYS]: now });
    expect(await provenTime()).toBe(long);
    expect((await giveUp(tenant, LEFT)).statusCode).toBe(403);
    expect((await giveUp(operator, 'never seen')).statusCode).toBe(404);
    const unseen = { participant: PARTICIPANT, synchronizer: LEFT, reason: 'shut down' };
    expect((await operator.post(`${url}:give-up`, unseen)).statusCode).toBe(428);
    expect((await giveUp(operator, LEFT)).json()).toMatchObject({ toldAt: long, givenUpAt: long });
    expect(await provenTime()).toBe(now);
    expect(await get(url)).toEqual([
      { participant: PARTICIPANT, synchronizer: LEFT, toldAt: long, givenUpAt: long },
      { participant: PARTICIPANT, synchronizer: STAYS, toldAt: now },
    ]);
    const [entry] = await get('/ops/audit');
    expect(entry).toMatchObject({
      act: 'synchronizer-given-up',
      object: `synchronizer:${LEFT}`,
      reason: 'shut down',
      detail: { participant: PARTICIPANT, toldAt: long },
    });
    const later = '2026-02-01T00:00:00Z';
    await tell({ [LEFT]: later });
    expect(await provenTime()).toBe(later);
  });

  test('one that its participant is connected to, or does not speak of, is not given up', async () => {
    const at = '2026-01-01T00:00:00Z';
    await api.pool.query(
      `update query_store_offset set synchronizer_times = '{}', given_up = '{}'`,
    );
    await tell({ [LEFT]: at });
    connected = async () => [LEFT];
    const refused = await giveUp(operator, LEFT);
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      code: 'SYNCHRONIZER_CONNECTED',
      message: expect.stringContaining(
        'wait for the outcomes, or disconnect the participant first',
      ),
    });
    connected = () => Promise.reject(new Error('away'));
    const unheard = await giveUp(operator, LEFT);
    expect(unheard.statusCode).toBe(503);
    expect(unheard.json()).toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect(await provenTime()).toBe(at);
    connected = async () => [STAYS];
    expect((await giveUp(operator, LEFT)).statusCode).toBe(200);
  });

  test('what is told must have reached the updates as well, on what they know', async () => {
    const [early, late] = ['2026-03-01T00:00:00Z', '2026-07-01T00:00:00Z'];
    await api.pool.query(
      `update query_store_offset set synchronizer_times = '{}', given_up = '{}'`,
    );
    await tell({ [STAYS]: late });
    expect(await provenTime()).toBe(late);
    await api.pool.query(
      `update query_store_offset set synchronizer_times = $1::jsonb where stream = 'updates'`,
      [{ [STAYS]: early, [LEFT]: '2020-01-01T00:00:00Z' }],
    );
    expect(await provenTime()).toBe(early);
    await api.pool.query(
      `update query_store_offset set clock_apart_ms = 20000 where stream <> 'updates'`,
    );
    expect(await provenTime()).toBeNull();
    await api.pool.query(`update query_store_offset set clock_apart_ms = null`);
  });
});
