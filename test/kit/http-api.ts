import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Pool } from 'pg';
import { addressPolicy, trustedProxies } from '../../src/auth/address-policy.ts';
import { createWebhookTargets } from '../../src/auth/webhook-targets.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Io } from '../../src/app/ports/io.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { ChangeId, Party } from '../../src/domain/ids.ts';
import { NO_TRACER } from '../../src/app/ports/tracing.ts';
import { isParty, trusted } from '../../src/domain/ids.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';
import { openValidation } from '../../src/main/validation-side.ts';
import { UNSEALED } from '../../src/domain/sealing.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { openDoor } from '../../src/app/engine/requests/request-change.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { Admission } from '../../src/http/kit/admission.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { EventFeed } from '../../src/http/kit/event-feed.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { OutcomeWaiters } from '../../src/http/kit/outcome-waiters.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import { buildServer } from '../../src/http/server.ts';
import { createQueueBoard } from '../../src/queue/board.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { createEventLog } from '../../src/store/webhooks/events.ts';
import { createAlarms } from '../../src/store/desk/alarms.ts';
import { createDesk } from '../../src/store/desk/desk.ts';
import { hearChanges } from '../../src/store/engine/change-listener.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { outageWords } from '../../src/store/sql/deadline.ts';
import { createBulkActs } from '../../src/store/desk/bulk-acts.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { createPreviews } from '../../src/store/desk/previews.ts';
import { createPolicies } from '../../src/store/policies/policies.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { createSessionStore } from '../../src/store/callers/sessions.ts';
import { createWebhooks } from '../../src/store/webhooks/webhooks.ts';
import { createKeptAnswers } from '../../src/store/callers/kept-answers.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import { createTimers } from '../../src/store/policies/timers.ts';
import type { SigningKey, TestIssuer, TokenOptions } from './issuer.ts';
import { makeKey, startIssuer } from './issuer.ts';
import type { LedgerStandIn } from './ledger-stand-in.ts';
import { LEDGER_USER, PARTICIPANT, standInForLedger } from './ledger-stand-in.ts';
import { openProduct } from '../../src/main/product-side.ts';
import type { TestDatabase } from './postgres.ts';
import { testDatabase } from './postgres.ts';
import { silent } from './queue-under-test.ts';
import type { TrustOptions } from './tenant-trust.ts';
import { openTrust } from './tenant-trust.ts';
import { PATIENCE_MS } from './patience.ts';

export const PROVIDER = trusted<Party>('provider::1220aa');
export const USER = trusted<Party>('user::1220bb');
export const OTHER_USER = trusted<Party>('other::1220cc');
/** A party that the authorization server knows, but that no participant hosts. */
export const HOMELESS = trusted<Party>('homeless::1220dd');

/** The synchronizer that every participant is connected to. */
export const CONNECTED = 'connected::1220ee';
export const IO: Io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };

/** The tests' ledger time: wall time, which a test can also advance. */
export interface TestClock {
  readonly nowMs: () => number;
  readonly advance: (ms: number) => void;
}

export interface TestApi extends AsyncDisposable {
  readonly app: HttpApp;
  /** Starts a second process on the same database, with its own memory of tenants and tokens only. */
  another(trust?: Partial<TrustOptions>): Promise<HttpApp>;
  readonly deps: HttpDeps;
  readonly store: Store;
  readonly pool: Pool;
  readonly database: TestDatabase;
  readonly ledger: LedgerStandIn;
  readonly waiters: OutcomeWaiters;
  readonly clock: TestClock;
  /** The clock of the sessions. */
  readonly sessionClock: TestClock;
  readonly issuers: { readonly provider: TestIssuer; readonly user: TestIssuer };
  /** Lines of the log, in their written form. */
  readonly logged: string[];
  /** The IDs of changes whose outcome the database has announced by a notification. */
  readonly heard: ChangeId[];
  /** Returns the header `Authorization` of a caller that acts as the party. */
  as(party: Party, options?: TokenOptions): Promise<string>;
  /** Returns the number of recorded changes: refused input must not add any. */
  changes(): Promise<number>;
}

const RSA = makeKey('RS256', 'rsa-1');
const CURVE = makeKey('ES256', 'curve-1');

async function startIssuers(nowMs: () => number): Promise<[TestIssuer, TestIssuer]> {
  const [rsa, curve]: SigningKey[] = await Promise.all([RSA, CURVE]);
  return Promise.all([
    startIssuer('AppProvider', rsa!, nowMs),
    startIssuer('AppUser', curve!, nowMs),
  ]);
}

const tenantOf = (
  tenantId: string,
  party: Party,
  { issuer }: TestIssuer,
  internal: boolean,
): Tenant => ({
  tenantId,
  party,
  walletUrl: internal ? null : 'http://wallet.localhost:2000',
  clientId: 'app-provider-backend-oidc',
  issuerUrl: issuer,
  internal,
  users: [],
});

function testClock(): TestClock {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    advance: (ms: number) => {
      aheadMs += ms;
    },
  };
}

/**
 * Starts the server on a database of its own, with real tokens, and with a ledger that the test controls.
 *
 * @param options `allowed` is the setting TENANT_ISSUERS_ALLOWED; `allowsHttp` says whether tenants' issuers may use
 * plain HTTP
 */
export async function startApi(
  more: (deps: HttpDeps) => Partial<HttpDeps> = () => ({}),
  {
    allowed = 'loopback',
    allowsHttp = true,
  }: { readonly allowed?: string; readonly allowsHttp?: boolean } = {},
): Promise<TestApi> {
  const stack = new AsyncDisposableStack();
  const clock = testClock();
  const sessionClock = testClock();
  const database = stack.use(await testDatabase());
  const pool = stack.adopt(
    await openPool({
      url: database.url,
      max: 6,
      applicationName: 'test-http',
      pipelined: true,
      signal: IO.signal,
    }),
    (pool) => closePool(pool, 5_000),
  );
  const [provider, user] = await startIssuers(() => Date.now());
  stack.use(provider);
  stack.use(user);
  const store = createPostgresStore(pool);
  const ledger = await standInForLedger(pool, store, PROVIDER, clock.nowMs);
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const waiters = new OutcomeWaiters({
    reads: store.reads,
    onError: (error) => log.warn({ error }),
  });
  const targets = createWebhookTargets({
    policy: addressPolicy('loopback'),
    allowsHttp: true,
    timeoutMs: 5_000,
    bodyBytesMax: 1_024,
  });
  stack.defer(() => targets.close());
  const heard: ChangeId[] = [];
  const listener = openListener({ url: database.url, applicationName: 'tenure test api' });
  hearChanges(listener, {
    onChanges: (ids) => {
      heard.push(...ids);
      waiters.onChanges(ids);
    },
    onGap: () => waiters.onGap(),
  });
  stack.defer(() => listener.stop());
  const trust = {
    pool,
    provider: { tenant: tenantOf('AppProvider', PROVIDER, provider, true), issuer: provider },
    user: { tenant: tenantOf('AppUser', USER, user, false), issuer: user },
    log,
    allowed,
    allowsHttp,
  };
  await createTenants(pool, stopActsOf).add(trust.user.tenant, IO);
  const recording = {
    store,
    hosting: {
      provider: PROVIDER,
      projected: PARTICIPANT,
      submitterFor: async (party: Party) =>
        party === HOMELESS
          ? null
          : { participant: PARTICIPANT, ledgerUser: LEDGER_USER, actAs: party },
    },
    model: NEWEST_MODEL,
    wallClock: { nowMs: () => Date.now() },
    ledgerClock: {
      nowMs: clock.nowMs,
      pastMs: clock.nowMs,
      provenMs: clock.nowMs,
      certainMs: clock.nowMs,
      ask: () => undefined,
      refresh: async () => {},
      observe: () => {},
    },
  };
  const trustSide = openTrust(stack, trust);
  const deps: HttpDeps = {
    ...recording,
    door: openDoor({ ...recording, isUnavailable: isDatabaseUnavailable }),
    ...trustSide,
    authMode: 'oauth2',
    sessions: createSessions({
      store: createSessionStore(pool),
      signIn: trustSide.signIn,
      wallClock: sessionClock,
      log,
    }),
    outcomes: waiters,
    ...openProduct(pool),
    webhooks: createWebhooks(pool),
    validation: openValidation(pool, UNSEALED),
    targetDefect: (url, party) => targets.defectOf(url, party),
    events: new EventFeed({ log: createEventLog(pool), onError: (error) => log.warn({ error }) }),
    alarms: createAlarms(pool),
    pauses: createPauses(pool),
    policies: createPolicies(pool),
    policyDelayMs: 60_000,
    previews: createPreviews(pool),
    keptAnswers: createKeptAnswers(pool),
    timers: createTimers(pool),
    desk: createDesk(pool, NEWEST_MODEL.names),
    gateway: { ledgerEnd: async () => ledger.end(), synchronizers: async () => [CONNECTED] },
    // Lists parties as an administrator of a participant sees them. The parties of a ledger have a fingerprint.
    partyDirectory: {
      hosted: async (parties) => new Map(parties.map((party) => [party, isParty(party)] as const)),
    },
    hear: async () => null,
    bulkActs: createBulkActs(pool, {
      itemsMax: LIMITS.bulkItemsMax,
      ending: NEWEST_MODEL.ending,
      operations: NEWEST_MODEL.names,
    }),
    queueBoard: createQueueBoard(
      () => postgresBackend({ databaseUrl: database.url }, silent),
      silent,
    ),
    webRoot: join(tmpdir(), 'tenure-no-build'),
    trustsProxy: trustedProxies('loopback,private'),
    rateLimits: {
      perTenant: null,
      perCaller: null,
      perAddress: null,
      readsPerTenant: null,
      writesPerTenant: null,
      readTimePercent: null,
      streamsPerTenant: null,
      failuresPerAddress: null,
      connectionsPerAddress: null,
    },
    limitShare: (limit) => limit,
    clocks: { ownDefect: () => null },
    admission: new Admission({ atOnce: 6, waitMsMax: MAIN_LIMITS.admissionMs }),
    readiness: [],
    metrics: new Metrics({ version: '0.0.0', roles: ['api'], participants: [PARTICIPANT] }),
    tracer: NO_TRACER,
    databaseOutage: outageWords,
    log,
    version: '0.0.0',
  };
  const changed = { ...deps, ...more(deps) };
  // These properties override the dependencies, including those that the test has replaced.
  const all = {
    ...changed,
    door: openDoor({ ...changed, isUnavailable: isDatabaseUnavailable }),
  };
  const app = stack.adopt(await buildServer(all), (app) => app.close());
  const another = async (more: Partial<TrustOptions> = {}): Promise<HttpApp> => {
    const server = await buildServer({ ...all, ...openTrust(stack, { ...trust, ...more }) });
    return stack.adopt(server, (open) => open.close());
  };
  return {
    app,
    another,
    deps: all,
    store,
    pool,
    database,
    ledger,
    waiters,
    clock,
    sessionClock,
    issuers: { provider, user },
    logged,
    heard,
    as: async (party, { claims, ...options } = {}) => {
      const issuer = party === PROVIDER ? provider : user;
      return `Bearer ${await issuer.token({ ...options, claims: { party_id: party, ...claims } })}`;
    },
    changes: async () => {
      const { rows } = await pool.query('select count(*)::int as n from change');
      return (rows as [{ n: number }])[0].n;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
