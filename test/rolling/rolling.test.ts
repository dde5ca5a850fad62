import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkInvariants } from '../../bench/invariants.ts';
import type { Caller } from '../../chaos/caller.ts';
import { createCaller } from '../../chaos/caller.ts';
import { openOperations } from '../../chaos/checks.ts';
import { drawsOf } from '../../chaos/draws.ts';
import { Inbox, checkEvents, judgeInbox, owedIn, untoldIn } from '../../chaos/inbox.ts';
import { rowsOf } from '../../chaos/rows.ts';
import type { World } from '../../chaos/world.ts';
import { startWorld } from '../../chaos/world.ts';
import { startRoleProcess } from '../../embedded/role-process.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { queueShards } from '../../src/main/queue-shards.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import type { Browser } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { EventFollower } from '../kit/event-follower.ts';
import { until } from '../kit/postgres-pair.ts';
import { SteadyLoad } from '../kit/steady-load.ts';
import { signIn } from '../kit/sign-in.ts';
import { checkOut, lastVersion } from './kit/release.ts';
import type { ReleasedRole } from './kit/released-role.ts';
import { startReleasedRole } from './kit/released-role.ts';

/*
 * The last released version is upgraded to this one as operators do it: under load, one process after the other, on
 * one database.
 */

const TIMEOUT_MS = 240_000;
const CALLERS = 6;
const LICENSE = { params: { meta: { data: {} } } };

const stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'tenure-rolling-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const version = lastVersion();
const release = join(folder, 'release');
const isThere = await checkOut(version, release);
if (!isThere) {
  await stack.disposeAsync();
  console.warn(
    `NOT TESTED: an upgrade from ${version} under load. The history of this checkout does not have that version ` +
      '(git fetch --unshallow).',
  );
}

/** Every caller has an install, and asks at one of the addresses. */
async function installs(callers: readonly Caller[]): Promise<string[]> {
  return Promise.all(
    Array.from({ length: CALLERS }, async (_, n) => {
      const caller = callers[n % callers.length];
      const operate = async (who: 'user' | 'provider', path: string, body: object) =>
        (await caller?.operate(who, path, body, randomUUID()))?.body.contractId;
      const request = await operate('user', '/app-install-requests', {});
      const body = { installMeta: {}, meta: {} };
      return operate('provider', `/app-install-requests/${request}:accept`, body);
    }),
  );
}

/** What a party was told, against the events that there are. */
async function eventsOf(databaseUrl: string, party: string, after: string): Promise<string[]> {
  const rows = await rowsOf<{ seq: string }>(
    databaseUrl,
    `select seq from event where seq > $1 and $2 = any(parties) and not starts_with(type, 'tenure.audit.')
     order by seq`,
    [after, party],
  );
  return rows.map(({ seq }) => seq);
}

interface Parts {
  readonly world: World;
  readonly environment: Readonly<Record<string, string>>;
  /** The addresses of both API servers, of which each may become another. */
  readonly apis: string[];
}

class Upgrade {
  readonly #parts: Parts;
  readonly #over = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    stack.defer(() => this.#over.abort());
  }

  async before(roles: string, name = roles): Promise<ReleasedRole> {
    const { environment } = this.#parts;
    const logFile = join(folder, 'logs', `released-${name}.log`);
    const role = await startReleasedRole({ folder: release, roles, environment, logFile });
    return stack.use(role);
  }

  async now(roles: string, name = roles): Promise<number> {
    const { environment } = this.#parts;
    const logFile = join(folder, 'logs', `${name}.log`);
    const { signal } = this.#over;
    const started = await startRoleProcess({ roles, environment, logFile, signal });
    stack.defer(async () => void (await started.end('SIGKILL')));
    return started.port;
  }

  caller(api: number): Caller {
    return createCaller({
      apiUrl: () => this.#parts.apis[api] ?? '',
      addresses: () => this.#parts.world.addresses,
      signal: this.#over.signal,
      giveUpMs: 60_000,
    });
  }
}

const apiAt = (port: number): string => `http://127.0.0.1:${port}`;
const siteAt = (port: number): string => `http://app-provider.localhost:${port}`;
const isSignedIn = async (browser: Browser, port: number): Promise<number> =>
  (await browser.get(`${siteAt(port)}/user`)).status;

test.skipIf(!isThere)(
  `from ${version}, one process after the other, under load`,
  { timeout: TIMEOUT_MS },
  async () => {
    await using _ = stack;
    await mkdir(join(folder, 'logs'), { recursive: true });
    const world = stack.use(
      await startWorld({
        folder,
        queue: 'postgres',
        searchPath: process.env['PATH'] ?? '',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    const { databaseUrl } = world;
    const apis: string[] = [];
    const environment = await world.environment();
    const upgrade = new Upgrade({ world, environment, apis });
    const first = await upgrade.before('api', 'api-1');
    const [second, worker, projector, clock] = await Promise.all(
      ['api', 'worker', 'projector', 'clock'].map((roles) => upgrade.before(roles)),
    );
    apis.push(apiAt(first.port), apiAt(second?.port ?? 0));
    const callers = [upgrade.caller(0), upgrade.caller(1)];
    const made = await installs(callers);

    const inbox = stack.use(new Inbox(drawsOf('rolling'), 0));
    await inbox.open();
    const [{ last: after } = { last: '0' }] = await rowsOf<{ last: string }>(
      databaseUrl,
      'select last from event_sequence',
    );
    const followers = [0, 1].map((at) =>
      stack.use(
        new EventFollower({
          apiUrl: () => apis[at] ?? '',
          token: () => callers[0]?.tokenOf('provider') ?? Promise.resolve(''),
          after,
        }),
      ),
    );
    for (const who of ['provider', 'user'] as const) {
      const answer = await callers[0]?.ask(who, 'POST', '/webhooks', { url: inbox.urlFor(who) });
      inbox.expect(who, answer?.body.id, answer?.body.secret);
    }
    const browser = stack.use(openBrowser());
    await signIn(browser, siteAt(first.port), 'AppProvider', 'app-provider');

    const load = new SteadyLoad(CALLERS, async (commandId, n) => {
      const caller = callers[n % callers.length] as Caller;
      return caller.operate(
        'provider',
        `/app-installs/${made[n]}:create-license`,
        LICENSE,
        commandId,
      );
    });
    stack.defer(() => load.end().catch(() => undefined));
    await load.more(40);
    const applied = await migrate({ url: databaseUrl, signal: AbortSignal.timeout(30_000) });
    expect(applied.length).toBeGreaterThan(0);
    await load.more(40);
    await expect(queueShards(databaseUrl, 2)).rejects.toThrow('a worker of an earlier version');

    const leave = async (old: ReleasedRole | undefined): Promise<void> => {
      await load.more(20);
      expect(old?.hasEnded).toBe(false);
      await old?.end('SIGTERM');
      await load.more(20);
    };
    const replace = async (roles: string, old: ReleasedRole | undefined): Promise<void> => {
      await upgrade.now(roles);
      await leave(old);
    };
    await replace('worker', worker);
    const newFirst = await upgrade.now('api', 'api-1');
    apis[0] = apiAt(newFirst);
    expect(await isSignedIn(browser, newFirst)).toBe(200);
    await leave(first);
    await replace('projector', projector);
    await replace('clock', clock);
    const newSecond = await upgrade.now('api', 'api-2');
    apis[1] = apiAt(newSecond);
    await leave(second);
    await load.end();

    expect(load.answered.filter(({ answer }) => answer.status !== 201)).toEqual([]);
    expect(await isSignedIn(browser, newSecond)).toBe(200);
    await queueShards(databaseUrl, 2);
    await until('the end of all', async () => {
      const open = await openOperations(databaseUrl);
      return open.length === 0 && (await untoldIn(databaseUrl)) === 0;
    });
    const answered = load.answered.map(({ commandId }) => commandId);
    const state = { databaseUrl, environment };
    await checkInvariants({ state, dataDir: folder }, answered);
    expect(judgeInbox(inbox, await owedIn(databaseUrl))).toEqual([]);
    expect(await checkEvents(databaseUrl)).toEqual([]);
    const { appProvider } = world.localnet.parties;
    const told = await eventsOf(databaseUrl, appProvider, after);
    expect(told.length).toBeGreaterThan(answered.length);
    await until('all events', async () => followers.every(({ ids }) => ids.length >= told.length));
    for (const { ids, connections } of followers) {
      expect(ids).toEqual(told);
      expect(connections).toBeGreaterThan(1);
    }
    const twice = inbox.taken.flatMap(({ messages }) =>
      [...messages.values()].filter((n) => n > 1),
    );
    console.log(
      `from ${version} under load: ${answered.length} operations answered, longest stall ` +
        `${Math.round(load.longestStallMs())} ms, longest operation ${Math.round(load.longestOperationMs())} ms; ` +
        `${told.length} events followed, ${twice.length} messages sent again`,
    );
    // Whatever an earlier worker would leave undone comes after this.
    expect(load.longestOperationMs()).toBeLessThan(LIMITS.redispatchMs);
  },
);
