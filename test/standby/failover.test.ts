import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCaller } from '../../chaos/caller.ts';
import { checkAlways, openOperations } from '../../chaos/checks.ts';
import { startWorld } from '../../chaos/world.ts';
import type { RoleProcess } from '../../embedded/role-process.ts';
import { startRoleProcess } from '../../embedded/role-process.ts';
import type { PostgresPair } from '../../embedded/postgres/pair.ts';
import { startPostgresPair } from '../../embedded/postgres/pair.ts';
import { until } from '../../embedded/until.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { SteadyLoad } from '../kit/steady-load.ts';

/*
 * Real processes under load, queue in the database, while the primary is killed, its standby promoted, and the old
 * primary started again, writable and waiting for no standby.
 */

const ACTORS = 4;
const TIMEOUT_MS = 110_000;
const ROLES = ['api', 'worker', 'projector,clock'] as const;

/** The primary dies, and the standby takes over as soon as what watches both has seen it. */
async function failOver(pair: PostgresPair): Promise<void> {
  await pair.primary.kill();
  await sleep(500);
  await pair.promote();
}

test(
  'everything answered is kept, everything accepted ends well',
  { timeout: TIMEOUT_MS },
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'tenure-failover-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const over = new AbortController();
    const pair = stack.use(await startPostgresPair());
    const world = stack.use(
      await startWorld({
        folder,
        queue: 'postgres',
        searchPath: process.env['PATH'] ?? '',
        databaseUrl: pair.primary.url,
        signal: over.signal,
      }),
    );
    const environment = { ...(await world.environment()), DATABASE_URL: pair.url };
    const start = async (roles: string): Promise<RoleProcess> => {
      const logFile = join(folder, 'logs', `${roles}.log`);
      const started = await startRoleProcess({ roles, environment, logFile, signal: over.signal });
      stack.defer(async () => {
        await started.end('SIGKILL');
      });
      return started;
    };
    const [api] = await Promise.all(ROLES.map(start));
    const caller = createCaller({
      apiUrl: () => `http://127.0.0.1:${api?.port}`,
      addresses: () => world.addresses,
      signal: over.signal,
      giveUpMs: 60_000,
    });
    stack.defer(() => over.abort());
    const load = new SteadyLoad(ACTORS, (commandId) =>
      caller.operate('user', '/app-install-requests', {}, commandId),
    );
    await load.more(30);
    await failOver(pair);
    await load.more(20);
    await pair.primary.start({ synchronous_standby_names: '' });
    await load.more(20);
    // One that begins now finds two servers that take writes, and goes by what it sees of both.
    await Promise.all([start('worker'), load.more(20)]);
    await load.end();

    const { url } = pair.standby;
    const rows = await queryOnce<{ command_id: string }>(
      url,
      `select command_id from change where state = 'succeeded'`,
    );
    const kept = new Set(rows.map(({ command_id: id }) => id));
    expect(load.answered.filter(({ answer }) => answer.status !== 201)).toEqual([]);
    expect(load.answered.filter(({ commandId }) => !kept.has(commandId))).toEqual([]);
    await until('the end of all operations', async () => (await openOperations(url)).length === 0);
    expect(await checkAlways(url)).toEqual([]);
    const strays = await queryOnce(
      pair.primary.url,
      `select pid, application_name from pg_stat_activity where application_name like 'tenure%'
       and application_name <> 'tenure-servers'`,
    );
    expect(strays).toEqual([]);
    const stallMs = Math.round(load.longestStallMs());
    console.log(
      `failover of PostgreSQL: ${load.answered.length} operations answered, longest stall ${stallMs} ms, ` +
        'of which 500 ms until the promotion was asked for',
    );
  },
);
