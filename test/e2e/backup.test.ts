import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
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
import { queryOnce, withDatabase } from '../kit/postgres-query.ts';

/* What docs/OPERATIONS.md says of a store that is put back to where it was some time ago, tried. */

const stack = new AsyncDisposableStack();
let dataDir: string;
let embedded: Embedded;
let databaseUrl: string;
let token: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-backup-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  embedded = stack.use(
    await startEmbedded({
      environment: readEnvironment({ TENURE_DATA_DIR: dataDir }),
      passOn: { PATH: process.env['PATH'] },
      ports: 'free',
      signal: AbortSignal.timeout(120_000),
      log: createLog('error'),
    }),
  );
  databaseUrl = embedded.environment['DATABASE_URL'] ?? '';
  token = await fetchToken(localnetAddresses(embedded.localnet!.ready), 'user');
});
afterAll(() => stack.disposeAsync());

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
  readonly body: any;
}
type Ask = (method: string, path: string) => Promise<Answer>;

/** A Tenure on one of the databases, for as long as `work` takes. */
async function during(url: string, roles: string, work: (ask: Ask) => Promise<void>) {
  const config = loadConfig({
    ...embedded.environment,
    DATABASE_URL: url,
    TENURE_DATA_DIR: dataDir,
    TENURE_ROLES: roles,
    BACKEND_PORT: '0',
  });
  const system = await startSystem(config, createLog('error'), AbortSignal.timeout(120_000));
  try {
    await work(async (method, path) => {
      const answer = await fetch(`http://127.0.0.1:${system.apiPort}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(40_000),
      });
      return { status: answer.status, body: await answer.json() };
    });
  } finally {
    await system.stop();
  }
}

const ALL = 'api,worker,projector,clock';
const request = (commandId: string) => `/app-install-requests?commandId=${commandId}`;
const idsOf = ({ body }: Answer): string[] =>
  body.map(({ contractId }: { contractId: string }) => contractId).toSorted();

test(
  'what was open when the backup was made takes effect once, and what came later is seen',
  { timeout: 120_000 },
  async () => {
    const [before, open, later] = [randomUUID(), randomUUID(), randomUUID()];
    let first = '';
    await during(databaseUrl, ALL, async (ask) => {
      const made = await ask('POST', request(before));
      expect(made.status).toBe(201);
      first = made.body.contractId;
    });
    // Nobody submits: it is accepted, and waits.
    await during(databaseUrl, 'api,projector', async (ask) => {
      expect((await ask('POST', `${request(open)}&wait=0`)).status).toBeOneOf([202, 201]);
    });
    const backup = `backup_${randomUUID().replaceAll('-', '')}`;
    const name = new URL(databaseUrl).pathname.slice(1);
    const admin = withDatabase(databaseUrl, 'template1');
    await queryOnce(admin, `create database ${backup} template ${name}`);

    let contracts: string[] = [];
    let opened = '';
    await during(databaseUrl, ALL, async (ask) => {
      const done = await ask('POST', request(open));
      expect(done.status).toBe(201);
      opened = done.body.contractId;
      expect((await ask('POST', request(later))).status).toBe(201);
      contracts = idsOf(await ask('GET', '/app-install-requests'));
      expect(contracts).toHaveLength(3);
    });

    await during(withDatabase(databaseUrl, backup), ALL, async (ask) => {
      // The store knows nothing of what became of it. Its effect names it.
      const again = await ask('POST', request(open));
      expect([again.status, again.body.contractId]).toEqual([201, opened]);
      expect((await ask('GET', `/operations/${before}`)).body.result.body.contractId).toBe(first);
      // Nor that this was ever asked for: its effect is there, and nobody to tell of it.
      expect((await ask('GET', `/operations/${later}`)).status).toBe(404);
      expect(idsOf(await ask('GET', '/app-install-requests'))).toEqual(contracts);
    });
    await queryOnce(admin, `drop database ${backup}`);
  },
);
