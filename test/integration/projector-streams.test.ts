import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openTcpProxy } from '../../chaos/tcp-proxy.ts';
import type { TcpProxy } from '../../chaos/tcp-proxy.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { ChangeId, CommandId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import type { Projector } from '../../src/projector/status.ts';
import { refuse } from '../contract/kit/scripted-participant.ts';
import { int64, party, text } from '../contract/kit/values.ts';
import {
  P,
  PROVIDER,
  ProjectorWorld,
  U,
  USER,
  reached,
  readiness,
} from '../kit/projector-world.ts';
import { change, io } from '../kit/store-rows.ts';
import { arrive } from '../kit/store-under-test.ts';
import { creates, newContract } from '../kit/told-ledger.ts';

/* Streams that break. Every element is applied exactly once, and a stream that cannot continue gives the reason. */

const install = (note = '') =>
  newContract(
    APP_INSTALL,
    {
      provider: party(PROVIDER),
      user: party(USER),
      numLicensesCreated: int64(0n),
      note: text(note),
    },
    [PROVIDER],
  );

/**
 * Returns the offsets of the updates in the store, in order. An offset cannot occur twice, because the store refuses
 * duplicates.
 */
const stored = async (world: ProjectorWorld): Promise<bigint[]> => {
  const { rows } = await world.under.pool.query<{ offset: bigint }>(
    'select "offset" from ledger_update order by 1',
  );
  return rows.map(({ offset }) => offset);
};

const lifecycles = async (world: ProjectorWorld): Promise<number> => {
  const { rows } = await world.under.pool.query<{ n: number }>(
    'select count(*)::int as n from lifecycle',
  );
  return rows[0]?.n ?? -1;
};

const ready = (projector: Projector) => expect.poll(() => readiness(projector), { interval: 20 });

const warnings = (world: ProjectorWorld) => world.log.filter(({ level }) => level === 'warn');

test('a database server that starts anew within a term is compared with the ledgers again', async () => {
  await using world = await ProjectorWorld.open();
  await world.ready();
  const replaying = async () =>
    (await world.under.store.transact(io(), (tx) => tx.followed())).replaying;
  await world.under.pool.query(`update query_store_offset set followed_on = 'another start'`);
  expect((await replaying()).size).toBeGreaterThan(0);
  await expect.poll(async () => (await replaying()).size, { interval: 100 }).toBe(0);
});

test('after a restore, what a former ledger user did on another participant is found by its updates', async () => {
  await using world = await ProjectorWorld.open();
  await (await world.ready()).stop();
  const submitted = {
    workflowId: workflowIdOf(trusted<ChangeId>(randomUUID())),
    commandId: 'lost',
  };
  const at = world.userLedger.transact([creates(install())], undefined, submitted);
  const foreign = newContract(APP_INSTALL, { user: party(USER) }, [USER]);
  const other = { workflowId: workflowIdOf(trusted<ChangeId>(randomUUID())), commandId: 'foreign' };
  world.userLedger.transact([creates(foreign)], undefined, other);
  world.userLedger.checkpoint();
  await world.under.pool.query(`update query_store_offset set followed_on = 'another start'`);
  await world.ready();
  const lost = trusted<CommandId>('lost');
  const commandIds = [lost, trusted<CommandId>('foreign')];
  const { tombstones } = await world.under.store.transact(io(), (tx) => tx.followed(commandIds));
  expect(tombstones).toEqual([
    { commandId: lost, actAs: [PROVIDER], updateId: world.userLedger.idAt(at) },
  ]);
});

test('requests are held where the ledger user is rotated after the database was restored', async () => {
  await using world = await ProjectorWorld.open();
  const next = async () => (await world.ready()).stop();
  const held = async () => {
    const replays = await world.store.transact(io(), (tx) => tx.replays());
    return [...replays].filter(([, { heldFrom }]) => heldFrom !== null).map(([stream]) => stream);
  };
  await next();
  world.ledgerUser = 'second';
  await next();
  expect(await held()).toEqual([]);
  await world.under.startAnew();
  await next();
  expect(await held()).toEqual([]);
  world.ledgerUser = 'third';
  await next();
  expect((await held()).toSorted()).toEqual([`completions:${P}`, `completions:${U}`]);
});

test('a participant that is restarted is followed from where it was left', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const before = [world.ledger.create(install()), world.ledger.create(install())];
  await expect.poll(() => reached(projector)).toBe(before[1]);
  await world.restartPeer(() => ready(projector).toContain('updates has stopped at offset'));
  const after = world.ledger.create(install());
  await ready(projector).toBe('ok');
  await expect.poll(() => reached(projector)).toBe(after);
  expect(await stored(world)).toEqual([...before, after]);
  expect(world.ledger.opened.at(-1)).toBe(before[1]);
});

test('the users’ participant is followed while the provider’s is away from the start', async () => {
  await using world = await ProjectorWorld.open();
  const first = world.start();
  await ready(first).toBe('ok');
  await first.stop();
  world.peer.crash();
  const projector = world.start();
  const told = world.userLedger.checkpoint();
  await expect.poll(() => reached(projector, `completions:${U}`)).toBe(told);
  expect(readiness(projector)).toMatch(/app-provider|updates/);
});

test('a stream that is cut in the middle of a transaction has told nothing of it', async () => {
  let proxy: TcpProxy | null = null;
  await using world = await ProjectorWorld.open({
    through: async (port) => {
      proxy = await openTcpProxy(port);
      return proxy.port;
    },
  });
  await using way = proxy!;
  const projector = await world.ready();
  const before = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(before);
  const cut = way.cutAt('before-answer', 'the-middle-of-it');
  // The first half consists of several frames. They arrive before the connection ends.
  const halves = [
    install('x'.repeat(30_000)),
    install('the-middle-of-it'),
    install('y'.repeat(30_000)),
  ];
  const at = world.ledger.create(...halves);
  await cut;
  await expect.poll(() => reached(projector)).toBe(at);
  await ready(projector).toBe('ok');
  expect(await stored(world)).toEqual([before, at]);
  expect(await lifecycles(world)).toBe(4);
});

test('a token that runs out is no trouble', async () => {
  let token = 1;
  const answer = () => Promise.resolve({ kind: 'token', token: `token-${token}` } as const);
  await using world = await ProjectorWorld.open({ tokens: { current: answer, renew: answer } });
  const script = world.ledger.script(world.peer);
  const usual = script.updates!;
  const expiry = Promise.withResolvers<void>();
  script.updates = async function* updates(request, context) {
    const bearer = context.metadata.get('authorization');
    const elements = usual(request, context)[Symbol.asyncIterator]();
    for (;;) {
      const next = elements.next();
      const expired = bearer === 'Bearer token-1' ? expiry.promise : new Promise<void>(() => {});
      const told = await Promise.race([next, expired]);
      if (told === undefined) refuse(context, 'ACCESS_TOKEN_EXPIRED');
      if (told.done === true) return;
      yield told.value;
    }
  };
  const projector = await world.ready();
  const before = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(before);
  token = 2;
  expiry.resolve();
  await expect.poll(() => world.ledger.opened.at(-1)).toBe(before);
  expect(readiness(projector)).toBe('ok');
  const after = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(after);
  expect(await stored(world)).toEqual([before, after]);
  expect(warnings(world)).toEqual([]);
});

test('bytes that are damaged on the way stop nothing for longer than they come', async () => {
  await using stack = new AsyncDisposableStack();
  const opened = Promise.withResolvers<TcpProxy>();
  const world = stack.use(
    await ProjectorWorld.open({
      through: async (port) => {
        const proxy = stack.use(await openTcpProxy(port));
        opened.resolve(proxy);
        return proxy.port;
      },
    }),
  );
  const proxy = await opened.promise;
  const projector = await world.ready();
  const answers = ['HTTP/1.1 400 Bad Request\r\n\r\n', '\0'.repeat(64), '\u{fffd}'.repeat(20)];
  for (const garbage of answers) {
    proxy.garble(garbage);
    world.ledger.create(install());
    await ready(projector).not.toBe('ok');
    // When this is reached, the delays between retries have grown.
    await expect.poll(() => warnings(world).length, { timeout: 15_000 }).toBeGreaterThan(0);
    proxy.garble(null);
    const endedMs = performance.now();
    const last = world.ledger.create(install());
    await expect.poll(() => reached(projector), { timeout: 30_000 }).toBe(last);
    await ready(projector).toBe('ok');
    expect(performance.now() - endedMs).toBeLessThan(15_000);
  }
  expect((await stored(world)).length).toBe(2 * answers.length);
});

test('what a participant tells again is applied once', async () => {
  await using world = await ProjectorWorld.open();
  const script = world.ledger.script(world.peer);
  const usual = script.updates!;
  let cuts = 0;
  script.updates = async function* updates(request, context) {
    // This server begins at the first element, no matter which offset is requested.
    for await (const told of usual({ ...request, beginExclusive: 0n }, context)) {
      yield told;
      if (told.update?.$case === 'transaction' && told.update.value.offset === 3n && cuts < 1) {
        cuts += 1;
        refuse(context, 'SERVICE_NOT_RUNNING');
      }
    }
  };
  const projector = await world.ready();
  const all = [1, 2, 3, 4].map(() => world.ledger.create(install()));
  await expect.poll(() => reached(projector)).toBe(4n);
  expect(await stored(world)).toEqual(all);
  expect(await lifecycles(world)).toBe(4);
  expect(warnings(world).filter(({ message }) => message.includes('an element twice')).length).toBe(
    3,
  );
  // A completion that arrives late is also an answer.
  const open = change();
  await arrive(world.store, open);
  await world.under.pool.query(
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
     values ($1, 1, 'late', $2, 'backend', $3, now())`,
    [open.id, P, PROVIDER],
  );
  world.ledger.checkpoint();
  await expect.poll(() => reached(projector, `completions:${P}`)).toBe(5n);
  world.ledger.complete({ submissionId: 'late', updateId: world.ledger.idAt(4n) }, 4n);
  const answered = async () =>
    (await world.store.reads.attempts(open.id, io()))[0]?.answer?.verdict;
  await expect.poll(answered).toBe('accepted');
});

test.each([
  ['was restored from a backup and is behind', 1n, 'ends at 1'],
  ['was restored from a backup and has another history since', 3n, 'which has other-2 there'],
])('a participant that %s is refused, and nothing of it is written', async (_what, end, says) => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const own = [world.ledger.create(install()), world.ledger.create(install())];
  await expect.poll(() => reached(projector)).toBe(2n);
  await world.restartPeer(() => {
    const [first] = world.ledger.updates;
    world.ledger.updates.length = 0;
    world.ledger.updates.push(first!);
    world.ledger.end = 1n;
    Object.assign(world.ledger, { history: 'other' });
    while (world.ledger.end < end) world.ledger.create(install());
    return Promise.resolve();
  });
  await ready(projector).toContain(says);
  expect(projector.status().state).toBe('failed');
  // The participant of the users is not affected.
  const told = world.userLedger.checkpoint();
  await expect.poll(() => reached(projector, `completions:${U}`)).toBe(told);
  expect(await stored(world)).toEqual(own);
  await projector.stop();
  // A process that starts later stops at the same update.
  const next = world.start();
  await expect.poll(() => next.status().state).toBe('failed');
  expect(await stored(world)).toEqual(own);
});

test('another participant behind the users’ address is refused, and the provider’s goes on', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const offset = world.userLedger.create(install());
  world.userLedger.complete({ updateId: world.userLedger.idAt(offset), submissionId: 's' }, offset);
  await expect.poll(() => reached(projector, `completions:${U}`)).toBe(offset);
  await projector.stop();
  world.userLedger.updates.length = 0;
  Object.assign(world.userLedger, { history: 'other' });
  world.userLedger.transact([], offset);
  const next = world.start();
  await ready(next).toContain(`completions:${U} has stopped with an error: FOREIGN_LEDGER`);
  const told = world.ledger.create(install());
  await expect.poll(() => reached(next)).toBe(told);
  expect(next.status().state).toBe('following');
});

test('a participant that has pruned what comes next says so, and from where it could be read', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const before = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(before);
  await projector.stop();
  for (let n = 0; n < 5; n += 1) world.ledger.create(install());
  world.ledger.prunedUpTo = 4n;
  const next = world.start();
  const trouble = () => next.status().broken.get(UPDATES_STREAM);
  await expect.poll(trouble).toMatchObject({ needsPerson: true, after: 1n });
  expect(trouble()?.reason).toContain('pruned up to offset 4: `tenure projection rebuild`');
  expect(readiness(next)).toContain('tenure projection rebuild');
  expect(await stored(world)).toEqual([before]);
});

test('a stream that stays open and says nothing is opened again', async () => {
  await using world = await ProjectorWorld.open();
  const script = world.ledger.script(world.peer);
  const usual = script.updates!;
  script.updates = async function* updates(request, context) {
    for await (const told of usual(request, context)) {
      // This imitates a participant whose stream hangs although it answers all other calls.
      if (world.ledger.opened.length === 1) await once(context.signal, 'abort');
      yield told;
    }
  };
  const projector = world.start({ silenceMs: 600 });
  await ready(projector).toBe('ok');
  const at = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(at);
  expect(world.ledger.opened.slice(0, 2)).toEqual([0n, 0n]);
  expect(await stored(world)).toEqual([at]);
});

test('a connection that is dead without a word is noticed, and replaced', async () => {
  let proxy: TcpProxy | null = null;
  await using world = await ProjectorWorld.open({
    through: async (port) => {
      proxy = await openTcpProxy(port);
      return proxy.port;
    },
  });
  await using way = proxy!;
  const projector = await world.ready();
  const before = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(before);
  // This imitates a router that has forgotten the connection: nothing arrives any more, and the connection does not
  // end.
  way.swallow();
  const meanwhile = world.ledger.create(install());
  await ready(projector).toContain('updates has stopped at offset');
  way.pass();
  await expect.poll(() => reached(projector)).toBe(meanwhile);
  await ready(projector).toBe('ok');
  expect(await stored(world)).toEqual([before, meanwhile]);
});
