import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { openWallet } from '../../cli/wallet.ts';
import { loadConfig, readEnvironment } from '../../src/main/config.ts';
import type { Embedded } from '../../embedded/embedded.ts';
import { startEmbedded } from '../../embedded/embedded.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import { createLog } from '../../src/main/log.ts';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import { startSystem } from '../../src/main/system.ts';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
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

/* Backup, restore and pruning, done exactly as docs/OPERATIONS.md describes them. */

type Who = 'user' | 'provider';

const stack = new AsyncDisposableStack();
let dataDir: string;
let embedded: Embedded;
let tokens: Readonly<Record<Who, string>>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-backup-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  embedded = stack.use(
    await startEmbedded({
      // This database does not belong to Tenure, so it starts and stops independently of the ledger.
      environment: readEnvironment({ TENURE_DATA_DIR: dataDir, DATABASE_URL: 'postgres://x/x' }),
      passOn: { PATH: process.env['PATH'] },
      ports: 'free',
      signal: AbortSignal.timeout(120_000),
      log: createLog('error'),
    }),
  );
  const addresses = localnetAddresses(embedded.localnet!.ready);
  const [user, provider] = await Promise.all([
    fetchToken(addresses, 'user'),
    fetchToken(addresses, 'provider'),
  ]);
  tokens = { user, provider };
});
afterAll(() => stack.disposeAsync());

const cluster = (): string => join(dataDir, 'postgres');
const settings = (url: string) => ({
  ...embedded.environment,
  PATH: process.env['PATH'],
  DATABASE_URL: url,
  TENURE_DATA_DIR: dataDir,
});

/** @param prefer the value of the header `Prefer`; with `respond-async`, the answer does not wait for the outcome */
type Ask = (
  method: string,
  path: string,
  body?: object,
  who?: Who,
  prefer?: string,
) => Promise<Answer>;

/** Runs `work` with a Tenure and its database. */
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
        (method, path, body, who = 'user', prefer = 'wait=120') =>
          callApi(`http://127.0.0.1:${system.apiPort}${path}`, {
            method,
            body,
            headers: { prefer },
            token: tokens[who],
          }),
        postgres.url,
      );
    } finally {
      await system.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** Returns the violations that the doctor reports. */
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

/** Deletes all finished rows of any age, as the scheduler does. @returns the deleted rows by kind */
async function pruneAll(url: string): Promise<object> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const pool = await openPool({ url, max: 1, pipelined: true, applicationName: 'test', signal });
  try {
    const { rows } = await pool.query<{ epoch: bigint }>(
      `select epoch from lease where name = '${SCHEDULER_LEASE}'`,
    );
    const log = recordingLog();
    const over = new AbortController();
    const duty = keepTidy({
      retention: createRetention(pool, trusted<ParticipantName>('app-provider')),
      policy: { changesMs: 0, eventsMs: 0, contractsMs: 0, auditMs: null },
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
const BURST = 12;

/** An operation that is requested with its command ID, and later again with the same ID. */
interface Asked {
  readonly who: Who;
  readonly path: string;
  readonly body: object;
  readonly commandId: string;
}
const asked = (who: Who, path: string, body: object = {}): Asked => ({
  who,
  path,
  body,
  commandId: randomUUID(),
});
const askFor = (
  ask: Ask,
  { who, path, body, commandId }: Asked,
  prefer?: string,
): Promise<Answer> => ask('POST', `${path}?commandId=${commandId}`, body, who, prefer);

async function done(ask: Ask, who: Who, path: string, body: object = {}): Promise<Answer['body']> {
  const answer = await askFor(ask, asked(who, path, body));
  expect([path, answer.status, answer.body]).toEqual([
    path,
    expect.toBeOneOf([200, 201]),
    answer.body,
  ]);
  return answer.body;
}

const META = { installMeta: {}, meta: {} };
const RENEWAL = {
  licenseFeeCc: 1,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT1H',
  settleBeforeDuration: 'PT2H',
  description: 'One more month',
};

/** Performs one operation of every kind, and a burst of creations on one install. */
async function everyKind(ask: Ask): Promise<{ all: readonly Asked[]; license: string }> {
  const requests: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    requests.push((await done(ask, 'user', '/app-install-requests')).contractId);
  }
  const request = (n: number, act: string): string => `/app-install-requests/${requests[n]}:${act}`;
  const accept = async (n: number): Promise<string> =>
    (await done(ask, 'provider', request(n, 'accept'), META)).contractId;
  const [install, cancelled] = [await accept(0), await accept(1)];
  const licenses: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const create = `/app-installs/${install}:create-license`;
    licenses.push((await done(ask, 'provider', create, { params: {} })).licenseId);
  }
  const license = (n: number, act: string): string => `/licenses/${licenses[n]}${act}`;
  const renewal = async (n: number): Promise<{ contractId: string; requestId: string }> => {
    await done(ask, 'provider', license(n, ':renew'), RENEWAL);
    return (await ask('GET', license(n, ''), undefined, 'provider')).body.renewalRequests[0];
  };
  const [paid, withdrawn] = [await renewal(2), await renewal(3)];
  const wallet = openWallet(localnetAddresses(embedded.localnet!.ready).userWalletUrl, tokens.user);
  await wallet.tap('100.0');
  const allocationContractId = await wallet.accept(paid.requestId);
  const settled = { renewalRequestContractId: paid.contractId, allocationContractId };
  await expect
    .poll(async () => (await ask('GET', license(2, ''))).body.renewalRequests[0].allocationCid, {
      timeout: PATIENCE_MS,
    })
    .toBeTruthy();
  const all = [
    asked('user', '/app-install-requests'),
    asked('provider', request(2, 'accept'), META),
    asked('provider', request(3, 'reject'), { meta: {} }),
    asked('user', request(4, 'cancel'), {}),
    asked('user', `/app-installs/${cancelled}:cancel`, { meta: {} }),
    asked('user', license(0, '/comments'), { body: 'How long is it good for?' }),
    asked('provider', license(0, ':renew'), RENEWAL),
    asked('user', license(1, ':expire'), { meta: {} }),
    asked('provider', license(2, ':complete-renewal'), settled),
    asked('provider', `/license-renewal-requests/${withdrawn.contractId}:withdraw`, {}),
    ...Array.from({ length: BURST }, () =>
      asked('provider', `/app-installs/${install}:create-license`, { params: {} }),
    ),
  ];
  return { all, license: licenses[0]! };
}

const idsOf = ({ body }: Answer): string[] =>
  body.map(({ contractId }: { contractId: string }) => contractId).toSorted();

test(
  'a restored database tells of every operation what became of it, also of those that it has lost',
  { timeout: 300_000 },
  async () => {
    const before = randomUUID();
    const backup = join(dataDir, 'backup');
    const [taken, cancelled] = [randomUUID(), randomUUID()];
    let [first, takenBack, license] = ['', '', ''];
    let all: readonly Asked[] = [];
    await during(ALL, async (ask) => {
      const made = await ask('POST', request(before));
      expect(made.status).toBe(201);
      first = made.body.contractId;
      const { contractId: gone } = (await ask('POST', request(taken))).body;
      const cancel = `/app-install-requests/${gone}:cancel?commandId=${cancelled}`;
      expect((await ask('POST', cancel)).status).toBe(204);
      takenBack = gone;
      ({ all, license } = await everyKind(ask));
      // All processes are stopped while some of these operations are being submitted to the ledger.
      const underWay = Array.from({ length: 5 }, () => asked('user', '/app-install-requests'));
      await Promise.all(underWay.map((one) => askFor(ask, one, 'respond-async')));
      all = [...all, ...underWay];
    });
    // No worker runs, so these requests are accepted and then wait.
    await during('api,projector', async (ask) => {
      // The ledger has updates that are newer than the stop. Until the process has read them, it refuses requests with
      // errors after which callers may retry.
      const [head] = all;
      await expect
        .poll(async () => (await askFor(ask, head!, 'respond-async')).status, { timeout: 30_000 })
        .not.toBe(503);
      for (const one of all) {
        expect((await askFor(ask, one, 'respond-async')).status).toBeOneOf([202, 201]);
      }
    });
    await cp(cluster(), backup, { recursive: true });

    const lost = [
      asked('user', '/app-install-requests'),
      asked('user', `/licenses/${license}/comments`, { body: 'Said after the copy.' }),
      asked('provider', `/licenses/${license}/comments`, { body: 'Answered after it.' }),
    ];
    let contracts: string[] = [];
    const unknown: string[] = [];
    const answers = new Map<Asked, Answer>();
    await during(ALL, async (ask, url) => {
      for (const one of [...all, ...lost]) {
        const answer = await askFor(ask, one);
        expect([one.path, answer.status]).toEqual([one.path, expect.toBeOneOf([200, 201, 204])]);
        answers.set(one, answer);
      }
      for (const { commandId, who } of lost) {
        unknown.push((await ask('GET', `/operations/${commandId}`, undefined, who)).body.id);
      }
      contracts = idsOf(await ask('GET', '/app-install-requests'));
      expect(await violations(url)).toEqual([]);

      // Finished operations have been deleted: requests with their command IDs still get the same answers, and no other
      // operation can use these IDs.
      expect(await pruneAll(url)).toMatchObject({
        changes: expect.toSatisfy((count: number) => count > answers.size),
        events: expect.toSatisfy((count: number) => count > 2 * answers.size),
        // Withdrawn requests are deleted; archived contracts that prove the end of others are kept.
        archived: expect.toSatisfy((count: number) => count >= 1),
      });
      const asBefore = async (): Promise<void> => {
        for (const [one, { status, body }] of answers) {
          const again = await askFor(ask, one);
          expect([one.path, again.status, again.body]).toEqual([one.path, status, body]);
        }
        for (const [id, contractId] of [
          [before, first],
          [taken, takenBack],
        ] as const) {
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
      // The projection is rebuilt from the offset up to which the ledger has been pruned.
      await askForRebuild({ databaseUrl: url, isDryRun: false, by: 'test', waitMs: PATIENCE_MS });
      await asBefore();
    });

    // The disk is lost, and its content is restored from the backup.
    await rm(cluster(), { recursive: true });
    await rename(backup, cluster());
    await during(ALL, async (ask, url) => {
      // The restored database lacks these operations. None of them is executed again: before any submission, Tenure
      // reads their effects from the ledger.
      for (const one of lost) {
        let again = await askFor(ask, one);
        await expect
          .poll(async () => (again = await askFor(ask, one)).status, { timeout: PATIENCE_MS })
          .not.toBe(503);
        expect([one.path, again.status, again.body]).toEqual([
          one.path,
          409,
          expect.objectContaining({
            code: 'COMMAND_TOOK_EFFECT',
            updateId: expect.stringMatching(/./u),
          }),
        ]);
      }
      // The database lacks the outcomes of these operations. Their effects on the ledger name them.
      for (const one of all) {
        const again = await askFor(ask, one);
        const { status, body } = answers.get(one)!;
        expect([one.path, again.status, again.body]).toEqual([one.path, status, body]);
      }
      expect((await ask('GET', `/operations/${before}`)).body.result.body.contractId).toBe(first);
      await expect
        .poll(async () => idsOf(await ask('GET', '/app-install-requests')), {
          timeout: PATIENCE_MS,
        })
        .toEqual(contracts);
      // The doctor reports the lost operations, and nothing else.
      const found = await violations(url);
      expect(found.map(({ invariant }) => invariant)).toEqual(unknown.map(() => 'I3'));
      expect(new Set(found.map(({ subjects }) => subjects.changeId))).toEqual(new Set(unknown));
    });
  },
);
