import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { loadConfig, readEnvironment } from '../../src/main/config.ts';
import type { Embedded } from '../../src/main/embedded.ts';
import { startEmbedded } from '../../src/main/embedded.ts';
import { localnetAddresses } from '../../src/main/local-network.ts';
import { createLog } from '../../src/main/log.ts';
import { startSystem } from '../../src/main/system.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/embedded-postgres.ts';
import { examine } from '../../src/main/doctor.ts';
import type { Violation } from '../../src/ops/invariants/violation.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* What docs/OPERATIONS.md says of a backup and of putting it back, done as it says. */

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

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
  readonly body: any;
}
type Ask = (method: string, path: string) => Promise<Answer>;

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
      await work(async (method, path) => {
        const answer = await fetch(`http://127.0.0.1:${system.apiPort}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        return { status: answer.status, body: await answer.json() };
      }, postgres.url);
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
    let first = '';
    await during(ALL, async (ask) => {
      const made = await ask('POST', request(before));
      expect(made.status).toBe(201);
      first = made.body.contractId;
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
