import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClockReport } from '../../src/app/ports/clocks.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { buildServer } from '../../src/http/server.ts';
import type { Finding } from '../../src/main/doctor.ts';
import { examine, exitCodeOf } from '../../src/main/doctor.ts';
import { createProcessClocks, createTimeWanted } from '../../src/store/engine/process-clocks.ts';
import { readClocks } from '../../src/store/desk/vitals.ts';
import type { TestApi } from '../kit/http-api.ts';
import { PROVIDER, startApi } from '../kit/http-api.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, dispatchAll } from '../kit/store-under-test.ts';

/* The reports of processes about their clocks, and the behaviour of a process whose clock is wrong. */

const report = (over: Partial<ClockReport> = {}): ClockReport => ({
  process: 'host:1:a',
  roles: 'api',
  difference: null,
  ledgerApartMs: null,
  ...over,
});

describe('processes', () => {
  test('write down what they have measured, hear the time, and are gone when they say so or say nothing', async () => {
    await using under = await postgresStore();
    const clocks = createProcessClocks(under.pool);
    const shown = () => readClocks(under.pool, rows.io());
    const before = Date.now();
    const { at, newest } = await clocks.report(report(), rows.io());
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(newest).toBeNull();
    const measured = report({ difference: { aheadMs: -3.5, uncertainMs: 0.25 }, ledgerApartMs: 7 });
    await clocks.report(measured, rows.io());
    await clocks.report(report({ process: 'host:2:b', roles: 'worker,clock' }), rows.io());
    expect(await shown()).toEqual([
      measured,
      report({ process: 'host:2:b', roles: 'worker,clock' }),
    ]);
    await clocks.forget('host:2:b', rows.io());
    expect(await shown()).toEqual([measured]);
    // A process that was killed sends no further reports.
    await queryOnce(under.url, `update process_clock set seen_at = seen_at - interval '61 s'`);
    expect(await shown()).toEqual([]);
    await clocks.report(report({ process: 'host:3:c' }), rows.io());
    expect(await queryOnce(under.url, 'select process from process_clock')).toEqual([
      { process: 'host:3:c' },
    ]);
  });

  test('compare the network by the newest transaction of ours, whatever others put into theirs', async () => {
    await using under = await postgresStore();
    const clocks = createProcessClocks(under.pool);
    const change = rows.change();
    await arrive(under.store, change);
    const [job] = await dispatchAll(under.outbox);
    for (const submission of ['first', 'second']) {
      await under.outbox.startAttempt(
        rows.effectId(change),
        job!.dispatchNo,
        trusted(`submission-${submission}`),
        rows.io(),
      );
    }
    const [first] = await under.store.reads.attempts(change.id, rows.io());
    const times = { effectiveAt: '2026-01-01T00:00:01Z', recordTime: '2026-01-01T00:00:02Z' };
    const others = ['', 'tenure-nonsense', workflowIdOf(rows.change().id)];
    await under.store.transact(rows.io(), (tx) =>
      tx.insertUpdates(
        [
          rows.transaction(5n, [], { workflowId: workflowIdOf(change.id), ...times }),
          ...others.map((workflowId, n) => rows.transaction(6n + BigInt(n), [], { workflowId })),
        ],
        [rows.PROVIDER],
      ),
    );
    const { newest } = await clocks.report(report(), rows.io());
    expect(newest).toEqual({ sentAt: first!.at, ...times });
  });

  test('want a later time, never an earlier one', async () => {
    await using under = await postgresStore();
    const wanted = createTimeWanted(under.pool);
    const participant = trusted<Parameters<typeof wanted.ask>[0]>('app-provider');
    const [first, later] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-02T00:00:00Z')];
    for (const at of [first, later, first]) await wanted.ask(participant, at, rows.io());
    const found = () => wanted.wanted(participant, rows.io());
    expect(await found()).toBe('2026-01-02T00:00:00Z');
    // No change waits any more for a time that the updates have already passed.
    const epoch = (await under.leases.acquire(PROJECTOR_LEASE, 'one', 60_000, rows.io())) ?? 0n;
    await under.store.transact(rows.io(), (tx) =>
      tx.startCursor(
        { stream: UPDATES_STREAM, from: 0n, to: 1n, recordTime: '2026-01-02T00:00:00Z' },
        epoch,
      ),
    );
    expect(await found()).toBeNull();
  });
});

describe('an API whose clock is wrong', () => {
  let api: TestApi;
  const open = new AsyncDisposableStack();
  beforeAll(async () => {
    api = open.use(await startApi());
  });
  afterAll(() => open.disposeAsync());

  test('takes no token for expired that is not: it says what is wrong, to whoever asks', async () => {
    const why = 'the clock of this process is 3600.0 s ahead';
    let asked = 0;
    const app = open.adopt(
      await buildServer({
        ...api.deps,
        clocks: { ownDefect: () => why },
        authenticate: (...args) => {
          asked += 1;
          return api.deps.authenticate(...args);
        },
      }),
      (each) => each.close(),
    );
    const authorization = await api.as(PROVIDER);
    const reply = await app.inject({ url: '/licenses', headers: { authorization } });
    expectProblem(reply, '/licenses', { code: 'CLOCK_WRONG', message: why });
    expect(reply.headers['retry-after']).toBe('1');
    const login = await app.inject({ method: 'POST', url: '/login' });
    expect(login.json().code).toBe('CLOCK_WRONG');
    expect(asked).toBe(0);
    expect((await app.inject({ url: '/livez' })).statusCode).toBe(200);
  });
});

describe('the doctor', () => {
  const findingsOn = async (url: string): Promise<readonly Finding[]> => {
    const findings: Finding[] = [];
    await examine({
      environment: {
        DATABASE_URL: url,
        LEDGER_HOST: '127.0.0.1',
        LEDGER_PORT: '1',
        REGISTRY_BASE_URI: 'http://127.0.0.1:1',
        AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 'secret',
        APP_PROVIDER_PARTY: String(PROVIDER),
      },
      replay: false,
      deep: false,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    return findings;
  };

  test('shows the clocks of all processes that run, wherever it runs itself', async () => {
    await using under = await postgresStore();
    const clocks = createProcessClocks(under.pool);
    const apart = (process: string, aheadMs: number) =>
      clocks.report(report({ process, difference: { aheadMs, uncertainMs: 1 } }), rows.io());
    await apart('here:1:a', 20);
    await apart('there:2:b', 3_600_000);
    const found = (await findingsOn(under.url)).filter(
      ({ area, what }) => area === 'clocks' && what.includes('(api)'),
    );
    expect(found).toMatchObject([
      { level: 'well', what: expect.stringContaining('here:1') },
      {
        level: 'wrong',
        what: expect.stringMatching(/there:2 .* 3600\.0 s ahead .* refuses requests/u),
      },
    ]);
  });

  test('does not call well what it could not read', async () => {
    await using database = await testDatabase('pristine');
    await queryOnce(database.url, 'alter table lease rename column epoch to age');
    const findings = await findingsOn(database.url);
    for (const area of ['streams', 'leases', 'outbox', 'operations'] as const) {
      // The database is new, and no process has ever reported its clock. The doctor says so.
      const of = findings.filter(
        ({ area: where, what }) => where === area && !what.startsWith('no process'),
      );
      expect(
        of.map(({ level }) => level),
        area,
      ).toEqual(['unseen']);
    }
    expect(findings).toContainEqual(
      expect.objectContaining({
        area: 'database',
        level: 'wrong',
        what: expect.stringMatching(/^streams and operations are unreadable: .*epoch/u),
      }),
    );
    // The exit code is 1 even though everything else is in order.
    const others = findings.filter(({ area }) => area === 'database' || area === 'streams');
    expect(exitCodeOf(others)).toBe(1);
  });
});
