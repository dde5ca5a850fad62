import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { Change } from '../../src/domain/change.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { tenantOperators } from '../kit/http-ops.ts';
import { LEDGER_USER, PARTICIPANT } from '../kit/ledger-stand-in.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* The network traffic that operations have paid for, summed up for operators. */

/** One attempt: its answer, the source of the answer, and the cost. */
interface Tried {
  readonly verdict?: 'accepted' | 'refused' | 'unknown';
  readonly code?: string;
  readonly offset?: number;
  readonly cost?: number;
}
const ACCEPTED: Tried = { verdict: 'accepted', offset: 11 };
/** The attempt was refused before anything was sent to the network, so it has no cost. */
const AT_ONCE: Tried = { verdict: 'refused', code: 'CONTRACT_NOT_FOUND' };
const BY_COMPLETION: Tried = { verdict: 'refused', code: 'LOCAL_VERDICT_TIMEOUT', offset: 10 };

const DAY_1 = '2026-01-30T23:59:59.999Z';
const DAY_2 = '2026-01-31T00:00:00Z';

async function tried(over: Partial<Change>, attempts: readonly Tried[]): Promise<Change> {
  const open = rows.change({ callerParty: PROVIDER, provider: PROVIDER, appUser: USER, ...over });
  await arrive(api.store, open);
  for (const [index, { verdict, code, offset, cost }] of attempts.entries()) {
    const answer = [verdict, code, offset, cost].map((part) => part ?? null);
    await api.pool.query(
      `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at, answered_at, verdict,
                            ledger_code, explanation, answer_offset, cost)
       values ($1, $2, $3, $4, $5, $6, now(), case when $7::text is not null then now() end, $7, $8,
               case when $7::text is not null then 'so it was' end, $9, $10)`,
      [open.id, index + 1, randomUUID(), PARTICIPANT, LEDGER_USER, PROVIDER, ...answer],
    );
  }
  await api.pool.query('update change set last_attempt_no = $2 where id = $1', [
    open.id,
    attempts.length,
  ]);
  return open;
}

const ends = async (open: Change): Promise<void> => {
  const finishedAt = open.acceptedAt;
  await save(api.store, rows.writes({ changes: [{ ...rows.succeeded(open), finishedAt }] }));
};

const api = await forFile(startApi());
const operator = await asking(api, PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });
const { tenant } = await tenantOperators(api);
const first = await tried({ acceptedAt: DAY_1 }, [
  { ...BY_COMPLETION, cost: 100 },
  AT_ONCE,
  { ...ACCEPTED, cost: 1_000 },
]);
await ends(first);
await ends(await tried({ acceptedAt: DAY_1 }, [BY_COMPLETION, ACCEPTED]));
await ends(
  await tried({ acceptedAt: DAY_1, operation: 'renew-license', appUser: OTHER_USER }, [
    { ...ACCEPTED, cost: 5 },
  ]),
);
// The operation is still being submitted: its second attempt is not answered yet.
await tried({ acceptedAt: DAY_2, callerParty: USER }, [{ ...BY_COMPLETION, cost: 7 }, {}]);
await tried({ acceptedAt: DAY_2 }, []);

const RANGE = 'since=2026-01-30T00:00:00Z&until=2026-02-01T00:00:00Z';

async function costs(ask: Ask, query = ''): Promise<Record<string, unknown>[]> {
  const reply = await ask.get(`/ops/costs?${RANGE}${query}`);
  expect(`${reply.statusCode} ${reply.body.slice(0, 300)}`).toMatch(/^200 /u);
  return reply.json();
}

const ALL = [
  { day: '2026-01-31', operation: 'create-license', party: USER },
  { day: '2026-01-30', operation: 'create-license', party: USER },
  { day: '2026-01-30', operation: 'renew-license', party: OTHER_USER },
] as const;
const SUMS = [
  { operations: 1, attempts: 2, bytes: 7, unknown: 1 },
  { operations: 2, attempts: 5, bytes: 1_100, unknown: 2 },
  { operations: 1, attempts: 1, bytes: 5, unknown: 0 },
];
const EXPECTED = ALL.map((key, index) => ({ ...key, ...SUMS[index] }));

describe('costs', () => {
  test('are added up by operation, party and day; what is not told is unknown', async () => {
    expect(await costs(operator)).toEqual(EXPECTED);
  });

  test('are added up by what is asked', async () => {
    expect(await costs(operator, '&groupBy=day')).toEqual([
      { day: '2026-01-31', ...SUMS[0] },
      { day: '2026-01-30', operations: 3, attempts: 6, bytes: 1_105, unknown: 2 },
    ]);
    expect(await costs(operator, '&groupBy=operation,party')).toEqual([
      {
        operation: 'create-license',
        party: USER,
        operations: 3,
        attempts: 7,
        bytes: 1_107,
        unknown: 3,
      },
      { operation: 'renew-license', party: OTHER_USER, ...SUMS[2] },
    ]);
  });

  test('are found by time, party and operation', async () => {
    expect(await costs(operator, `&party=${OTHER_USER}`)).toEqual(EXPECTED.slice(2));
    expect(await costs(operator, '&operation=create-license')).toEqual(EXPECTED.slice(0, 2));
    const until = await operator.get(`/ops/costs?since=2026-01-30T00:00:00Z&until=${DAY_2}`);
    expect(until.json()).toEqual(EXPECTED.slice(1));
    const from = await operator.get(`/ops/costs?since=${DAY_2}&until=2026-02-01T00:00:00Z`);
    expect(from.json()).toEqual(EXPECTED.slice(0, 1));
  });

  test('come in pages', async () => {
    const seen: unknown[] = [];
    let next: string | undefined = `/ops/costs?${RANGE}&limit=1`;
    for (; next !== undefined;) {
      const reply: Awaited<ReturnType<Ask['get']>> = await operator.get(next);
      seen.push(...reply.json());
      next = /<([^>]*)>; rel="next"/u.exec(String(reply.headers['link'] ?? ''))?.[1];
    }
    expect(seen).toEqual(EXPECTED);
    const foreign = await operator.get(`/ops/costs?${RANGE}&cursor=abc`);
    expect([foreign.statusCode, foreign.json().field]).toEqual([400, 'cursor']);
  });

  test('of a tenant are of what it has asked for', async () => {
    expect(await costs(tenant)).toEqual([{ ...ALL[0], party: PROVIDER, ...SUMS[0] }]);
  });

  test('are for operators alone', async () => {
    const reply = await (await asking(api, PROVIDER)).get('/ops/costs');
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'FORBIDDEN']);
  });

  test('of one operation are told with it', async () => {
    const { attempts, cost } = (await operator.get(`/ops/operations/${first.id}`)).json();
    expect(attempts.map((one: { cost?: number }) => one.cost)).toEqual([100, undefined, 1_000]);
    expect(cost).toEqual({ bytes: 1_100, unknown: 0 });
  });

  test('outlive the attempts that they were paid for', async () => {
    const io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };
    const epoch = await createLeases(api.pool).acquire(SCHEDULER_LEASE, 'this test', 600_000, io);
    const batch = { olderThanMs: 0, limit: 100 };
    await createRetention(api.pool, PARTICIPANT).changes(batch, epoch ?? 0n, io);
    const { rows: kept } = await api.pool.query('select from attempt');
    expect(kept).toHaveLength(2);
    expect(await costs(operator)).toEqual(EXPECTED);
    const { cost } = (await operator.get(`/ops/operations/${first.id}`)).json();
    expect(cost).toEqual({ bytes: 1_100, unknown: 0 });
    // Before operations recorded their cost, attempts were deleted. They count as attempts with an unknown cost.
    await api.pool.query('update change set paid_cost = null, unpriced_attempts = null');
    const [, before] = await costs(operator);
    expect(before).toEqual({ ...ALL[1], operations: 2, attempts: 5, bytes: 0, unknown: 5 });
  });
});
