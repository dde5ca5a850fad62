import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import type { Io } from '../../src/app/ports/io.ts';
import { prepareCommand } from '../../src/app/engine/attempts/prepare-command.ts';
import { recordAnswer } from '../../src/app/engine/attempts/record-answer.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import { loadConfig } from '../../src/main/config.ts';
import { openLedgerSide } from '../../src/main/ledger-side.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import { createLog } from '../../src/main/log.ts';
import { startSystem } from '../../src/main/system.ts';
import { createLastAnswers } from '../../src/store/engine/last-answers.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';
import { startParts } from './kit/parts.ts';

/*
 * The queue gives one job to two workers at the same moment. This may happen if the queue takes one of them for dead.
 */

const io = (): Io => ({ signal: AbortSignal.timeout(120_000), deadlineMs: 10_000 });

/** Waits until both workers have begun their attempt, so that neither is done before the other. */
let comeTogether: () => Promise<void> = async () => undefined;
function meetingOf(number: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === number) resolve();
    return promise;
  };
}

const stack = new AsyncDisposableStack();
let api: string;
let work: (job: { effectId: EffectId; dispatchNo: number }) => Promise<void>;
let outbox: ReturnType<typeof createOutbox>;
let token: string;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-twice-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const log = createLog('error');
  const signal = AbortSignal.timeout(120_000);
  const embedded = stack.use(await startParts({ TENURE_DATA_DIR: dataDir }));
  // No process except this test submits commands.
  const config = loadConfig({
    ...embedded.environment,
    TENURE_DATA_DIR: dataDir,
    TENURE_ROLES: 'api,projector',
    BACKEND_PORT: '0',
  });
  const system = stack.adopt(await startSystem(config, log, signal), (one) => one.stop());
  api = `http://127.0.0.1:${system.apiPort}`;
  token = await fetchToken(localnetAddresses(embedded.localnet!.ready), 'user');
  const http = stack.adopt(createOutgoingHttp(), (one) => one.close());
  const pool = stack.adopt(
    await openPool({
      url: config.databaseUrl,
      max: 4,
      applicationName: 'test',
      pipelined: true,
      signal,
    }),
    (one) => closePool(one, 5_000),
  );
  const store = createPostgresStore(pool);
  const ledger = stack.adopt(
    await openLedgerSide({
      config,
      store: Promise.resolve(store),
      lastAnswers: Promise.resolve(createLastAnswers(pool)),
      fetch: http.fetch,
      log,
      signal,
    }),
    (one) => one.close(),
  );
  outbox = createOutbox(pool);
  const deps = {
    model: NEWEST_MODEL,
    store,
    gateway: ledger.gateway,
    wallClock: { nowMs: () => Date.now() },
    ledgerClock: ledger.ledgerClock,
    random: Math.random,
  };
  work = (job) =>
    submitCommand(
      job,
      {
        outbox,
        gateway: ledger.gateway,
        prepare: async (attempt, within) => {
          await comeTogether();
          return prepareCommand({ ...ledger, judge: async () => null }, attempt, within);
        },
        newSubmissionId,
        recordAnswer: (change, submissionId, answer, within) =>
          recordAnswer(deps, change, submissionId, answer, within),
      },
      io(),
    );
});
afterAll(() => stack.disposeAsync());

const call = async (
  method: string,
  path: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
): Promise<{ status: number; body: any }> => {
  const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' };
  const answer = await fetch(`${api}${path}`, { method, headers });
  return { status: answer.status, body: await answer.json() };
};

describe('two workers with one job', () => {
  test('record an attempt each, and the ledger takes one of them', async () => {
    const commandId = randomUUID();
    expect((await call('POST', `/app-install-requests?commandId=${commandId}`)).status).toBe(202);
    const jobs: { effectId: EffectId; dispatchNo: number }[] = [];
    const put = async (effects: readonly { id: EffectId; dispatchNo: number }[]) => {
      jobs.push(...effects.map(({ id, dispatchNo }) => ({ effectId: id, dispatchNo })));
    };
    expect(await outbox.dispatchDue(10, put, io())).toBe(1);
    comeTogether = meetingOf(2);
    await Promise.all([...jobs, ...jobs].map(work));
    await expect
      .poll(async () => (await call('GET', `/operations/${commandId}`)).body.state, {
        timeout: 120_000,
      })
      .toBe('succeeded');
    const { attempts, result } = (await call('GET', `/operations/${commandId}`)).body;
    expect(attempts).toHaveLength(2);
    expect(attempts.filter(({ answer }: { answer: string }) => answer === 'accepted')).toHaveLength(
      1,
    );
    const requests = (await call('GET', '/app-install-requests')).body;
    expect(requests).toHaveLength(1);
    expect(requests[0].contractId).toBe(result.body.contractId);
    // A third worker begins too late: nothing is left to do.
    await Promise.all(jobs.map(work));
    expect((await call('GET', `/operations/${commandId}`)).body.attempts).toHaveLength(2);
  });
});
