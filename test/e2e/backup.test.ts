import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { loadConfig, readEnvironment } from '../../src/main/config.ts';
import type { Embedded } from '../../embedded/embedded.ts';
import { startEmbedded } from '../../embedded/embedded.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import { createLog } from '../../src/main/log.ts';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import { startSystem } from '../../src/main/system.ts';
import { CLOCK_LEASE } from '../../src/app/ports/leases.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { keepTidy } from '../../src/ops/retention.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { recordingLog } from '../kit/queue-under-test.ts';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import { examine } from '../../src/main/doctor.ts';
import type { Violation } from '../../src/doctor/invariants/violation.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { Answer } from './kit/call-api.ts';
import { callApi } from './kit/call-api.ts';

/* What docs/OPERATIONS.md says of a backup, of putting it back, and of what is pruned, done as it says. */

const stack = new AsyncDisposableStack();
let dataDir: string;
let embedded: Embedded;
let token: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-backup-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  embedded = stack.use(
    await startEmbedded({
      // A database somewhere else: here it starts and ends apart from the ledger.
      environment: readEnvironment({ TENURE_DATA_DIR: dataDir, DATABASE_URL: 'postgres://x/x' }),
      passOn: { PATH: process.env['PATH'] },
      ports: 'free',
      signal: AbortSignal.timeout(120_000),
      log: createLog('error'),
    }),
  );
  token = await fetchToken(localnetAddresses(embedded.localnet!.ready), 'user');
});
afterAll(() => stack.disposeAsync());

const cluster = (): string => join(dataDir, 'postgres');
const settings = (url: string) => ({
  ...embedded.environment,
  PATH: process.env['PATH'],
  DATABASE_URL: url,
  TENURE_DATA_DIR: dataDir,
});

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

/** A Tenure with its database, for as long as `work` takes. */
async function during(roles: string, work: (ask: Ask, url: string) => Promise<void>) {
  const signal = AbortSignal.timeout(240_000);
  const postgres = await startEmbeddedPostgres({ dataDir: cluster(), signal });
  try {
    const config = loadConfig({
      ...settings(postgres.url),
      TENURE_ROLES: roles,
      BACKEND_PORT: '0',
    });
    const system = await startSystem(config, createLog('error'), signal);
    try {
      await work(
        (method, path, body) =>
          callApi(`http://127.0.0.1:${system.apiPort}${path}`, { method, body, token }),
        postgres.url,
      );
    } finally {
      await system.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** What the doctor finds broken. */
async function violations(url: string) {
  const found: Violation[] = [];
  await examine({
    environment: settings(url),
    replay: true,
    deep: true,
    onFinding: ({ violation }) => violation !== undefined && found.push(violation),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return found;
}

/** Prunes all that is finished, however young, as the holder of the clock's lease does. @returns how much of what */
async function pruneAll(url: string): Promise<object> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const pool = await openPool({ url, max: 1, pipelined: true, applicationName: 'test', signal });
  try {
    const { rows } = await pool.query<{ epoch: bigint }>(
      `select epoch from lease where name = '${CLOCK_LEASE}'`,
    );
    const log = recordingLog();
    const over = new AbortController();
    const duty = keepTidy({
      retention: createRetention(pool, trusted<ParticipantName>('app-provider')),
      policy: { changesMs: 0, eventsMs: 0, contractsMs: 0 },
      log: { ...log, debug: () => undefined },
    }).run({ epoch: rows[0]?.epoch ?? 0n, signal: AbortSignal.any([over.signal, signal]) });
    await expect.poll(() => log.entries.length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    over.abort();
    await duty;
    return log.entries[0]?.detail ?? {};
  } finally {
    await pool.end();
  }
}

const ALL = 'api,worker,projector,clock';
const request = (commandId: string) => `/app-install-requests?commandId=${commandId}`;
const idsOf = ({ body }: Answer): string[] =>
  body.map(({ contractId }: { contractId: string }) => contractId).toSorted();

test(
  'what was open when the backup was made takes effect once, and what came later is seen and named',
  { timeout: 300_000 },
  async () => {
    const [before, open, later] = [randomUUID(), randomUUID(), randomUUID()];
    const underWay = Array.from({ length: 5 }, () => randomUUID());
    const backup = join(dataDir, 'backup');
    const [taken, cancelled] = [randomUUID(), randomUUID()];
    let [first, takenBack] = ['', ''];
    await during(ALL, async (ask) => {
      const made = await ask('POST', request(before));
      expect(made.status).toBe(201);
      first = made.body.contractId;
      const { contractId: gone } = (await ask('POST', request(taken))).body;
      const cancel = `/app-install-requests/${gone}:cancel?commandId=${cancelled}`;
      expect((await ask('POST', cancel)).status).toBe(204);
      takenBack = gone;
      // Some of these are on their way to the ledger when everything is told to stop.
      await Promise.all(underWay.map((id) => ask('POST', `${request(id)}&wait=0`)));
    });
    // Nobody submits this one: it is accepted, and waits.
    await during('api,projector', async (ask) => {
      expect((await ask('POST', `${request(open)}&wait=0`)).status).toBeOneOf([202, 201]);
    });
    await cp(cluster(), backup, { recursive: true });

    let contracts: string[] = [];
    let unknown = '';
    const effects = new Map<string, string>();
    await during(ALL, async (ask, url) => {
      for (const id of [open, ...underWay, later]) {
        const done = await ask('POST', request(id));
        expect(done.status).toBe(201);
        effects.set(id, done.body.contractId);
      }
      unknown = (await ask('GET', `/operations/${later}`)).body.id;
      contracts = idsOf(await ask('GET', '/app-install-requests'));
      expect(contracts).toHaveLength(3 + underWay.length);
      expect(await violations(url)).toEqual([]);

      // What is finished is pruned: the answers to its command IDs stay, and mean nothing else.
      expect(await pruneAll(url)).toEqual({
        changes: effects.size + 3,
        acts: 0,
        events: expect.toSatisfy((count: number) => count > 2 * effects.size),
        deliveries: 0,
        // How the request was taken back; the contract by which its end is shown stays.
        archived: 1,
      });
      const asBefore = async (): Promise<void> => {
        for (const [id, contractId] of [...effects, [before, first], [taken, takenBack]] as const) {
          const again = await ask('POST', request(id));
          expect([again.status, again.body.contractId]).toEqual([201, contractId]);
        }
        const cancel = `/app-install-requests/${takenBack}:cancel?commandId=${cancelled}`;
        expect((await ask('POST', cancel)).status).toBe(204);
        const other = await ask('POST', request(before), { meta: { data: { not: 'the same' } } });
        expect([other.status, other.body.code]).toEqual([422, 'COMMAND_ID_REUSED']);
        expect(idsOf(await ask('GET', '/app-install-requests'))).toEqual(contracts);
        expect(await violations(url)).toEqual([]);
      };
      await asBefore();
      // The projection is made to agree with the ledger from where it now begins.
      await askForRebuild({ databaseUrl: url, isDryRun: false, by: 'test', waitMs: PATIENCE_MS });
      await asBefore();
    });

    // The disk is lost, and the backup is put in its place.
    await rm(cluster(), { recursive: true });
    await rename(backup, cluster());
    await during(ALL, async (ask, url) => {
      // The store knows nothing of what became of these. Their effects name them.
      for (const id of [open, ...underWay]) {
        const again = await ask('POST', request(id));
        expect([again.status, again.body.contractId]).toEqual([201, effects.get(id)]);
      }
      expect((await ask('GET', `/operations/${before}`)).body.result.body.contractId).toBe(first);
      // Nor that this was ever asked for: its effect is there, and nobody to tell of it.
      expect((await ask('GET', `/operations/${later}`)).status).toBe(404);
      await expect
        .poll(async () => idsOf(await ask('GET', '/app-install-requests')), {
          timeout: PATIENCE_MS,
        })
        .toEqual(contracts);
      // The doctor names it, and nothing else.
      expect(await violations(url)).toMatchObject([
        { invariant: 'I3', subjects: { changeId: unknown } },
      ]);
    });
  },
);
