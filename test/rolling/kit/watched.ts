import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { checkInvariants } from '../../../bench/invariants.ts';
import type { Caller } from '../../../chaos/caller.ts';
import { createCaller } from '../../../chaos/caller.ts';
import { openOperations } from '../../../chaos/checks.ts';
import { drawsOf } from '../../../chaos/draws.ts';
import { Inbox, checkEvents, checkInbox, untoldIn } from '../../../chaos/inbox.ts';
import { rowsOf } from '../../../chaos/rows.ts';
import type { World } from '../../../chaos/world.ts';
import { EventFollower } from '../../kit/event-follower.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { SteadyLoad } from '../../kit/steady-load.ts';

/* Callers, followers of events and targets of webhooks, for tests that replace processes of Tenure. */

const CALLERS = 6;
const LICENSE = { params: { meta: { data: {} } } };

export interface WatchedParts {
  readonly world: World;
  readonly environment: Readonly<Record<string, string>>;
  /** The addresses of API servers, which a test may replace. Callers and followers are divided among them. */
  readonly apis: readonly string[];
  readonly stack: AsyncDisposableStack;
}

export interface Watched {
  readonly load: SteadyLoad;
  /**
   * Ends the load and checks that every requested operation has succeeded, exactly once, with its events.
   *
   * @returns a line with figures about the load
   */
  readonly finish: () => Promise<string>;
}

/** Makes `CALLERS` installs. The requests are sent to each API server in turn. */
const installs = (callers: readonly Caller[]): Promise<string[]> =>
  Promise.all(
    Array.from({ length: CALLERS }, async (_, n) => {
      const caller = callers[n % callers.length];
      const operate = async (who: 'user' | 'provider', path: string, body: object) =>
        (await caller?.operate(who, path, body, randomUUID()))?.body.contractId;
      const request = await operate('user', '/app-install-requests', {});
      const body = { installMeta: {}, meta: {} };
      return operate('provider', `/app-install-requests/${request}:accept`, body);
    }),
  );

async function lastEvent(databaseUrl: string): Promise<string> {
  const sql = 'select last from event_sequence';
  const [row] = await rowsOf<{ last: string }>(databaseUrl, sql);
  return row?.last ?? '0';
}

/** Returns the events that must be delivered to a party. */
async function eventsOf(databaseUrl: string, party: string, after: string): Promise<string[]> {
  const rows = await rowsOf<{ seq: string }>(
    databaseUrl,
    'select seq from event where seq > $1 and $2 = any(parties) order by seq',
    [after, party],
  );
  return rows.map(({ seq }) => seq);
}

async function subscribed(caller: Caller | undefined, inbox: Inbox): Promise<void> {
  for (const who of ['provider', 'user'] as const) {
    const answer = await caller?.ask(who, 'POST', '/webhooks', { url: inbox.urlFor(who) });
    expect(answer?.status).toBe(201);
    inbox.expect(who, answer?.body.id, answer?.body.secret);
  }
}

/** Starts to request licences, to follow events, and to receive webhooks. */
export async function watched(parts: WatchedParts): Promise<Watched> {
  const { world, environment, apis, stack } = parts;
  const { databaseUrl } = world;
  const over = new AbortController();
  const callers = apis.map((_, at) =>
    createCaller({
      apiUrl: () => apis[at] ?? '',
      addresses: () => world.addresses,
      signal: over.signal,
      giveUpMs: 60_000,
    }),
  );
  const made = await installs(callers);
  const inbox = stack.use(new Inbox(drawsOf('watched'), 0));
  await inbox.open();
  const after = await lastEvent(databaseUrl);
  const followers = callers.map((caller, at) =>
    stack.use(
      new EventFollower({
        apiUrl: () => apis[at] ?? '',
        token: () => caller.tokenOf('provider'),
        after,
      }),
    ),
  );
  await subscribed(callers[0], inbox);
  const load = new SteadyLoad(CALLERS, async (commandId, n) => {
    const caller = callers[n % callers.length] as Caller;
    const path = `/app-installs/${made[n]}:create-license`;
    return caller.operate('provider', path, LICENSE, commandId);
  });
  stack.defer(async () => {
    over.abort();
    await load.end().catch(() => undefined);
  });
  return {
    load,
    async finish() {
      await load.end();
      expect(load.answered.filter(({ answer }) => answer.status !== 201)).toEqual([]);
      const left = async () => ({
        open: await openOperations(databaseUrl),
        untold: await untoldIn(databaseUrl),
      });
      // Deliveries of a process that was killed are due again after a minute.
      await expect.poll(left, { timeout: 2 * PATIENCE_MS }).toEqual({ open: [], untold: 0 });
      const answered = load.answered.map(({ commandId }) => commandId);
      const state = { databaseUrl, environment };
      await checkInvariants({ state, dataDir: world.folder }, answered);
      expect(await checkInbox(inbox, databaseUrl)).toEqual([]);
      expect(await checkEvents(databaseUrl)).toEqual([]);
      const told = await eventsOf(databaseUrl, world.localnet.parties.appProvider, after);
      expect(told.length).toBeGreaterThan(answered.length);
      for (const { ids, connections } of followers) {
        await expect.poll(() => ids.length, { timeout: PATIENCE_MS }).toBe(told.length);
        expect(ids).toEqual(told);
        expect(connections).toBeGreaterThan(1);
      }
      const counts = inbox.taken.flatMap(({ messages }) => [...messages.values()]);
      return (
        `${answered.length} operations answered, longest stall ${Math.round(load.longestStallMs())} ms, ` +
        `longest operation ${Math.round(load.longestOperationMs())} ms; ${told.length} events followed, ` +
        `${counts.length} messages taken, ${counts.filter((n) => n > 1).length} of them again`
      );
    },
  };
}
