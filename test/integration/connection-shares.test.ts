import { expect, test } from 'vitest';
import type { Io, ShareName } from '../../src/app/ports/io.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import type { Session } from '../../src/store/sql/session.ts';
import { sharesOf } from '../../src/store/sql/shares.ts';
import { onConnection, transact } from '../../src/store/sql/transact.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { testDatabase } from '../kit/postgres.ts';

/*
 * Requests of callers take no connection from the engine or from probes, and no tenant takes a connection from another
 * tenant's share.
 */

async function shared(reads = 1) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const pool = await openPool({
    url: database.url,
    max: 5,
    shares: { reads, writes: 1, engine: 2, probes: 1 },
    applicationName: 'tenure test',
    pipelined: true,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  stack.defer(() => closePool(pool, PATIENCE_MS));
  const held = stack.move();
  return { pool, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const io = (share: ShareName, party = 'one', signal = new AbortController().signal): Io => ({
  signal,
  deadlineMs: PATIENCE_MS,
  turn: { share, of: { party, subject: 'anna' } },
});

test('a share that is used up holds up that kind of work alone', async () => {
  await using under = await shared();
  const { pool } = under;
  const end = Promise.withResolvers<void>();
  const begun: Promise<void>[] = [];
  const hold = (bounds: Io) => {
    const started = Promise.withResolvers<void>();
    begun.push(started.promise);
    return onConnection(pool, bounds, async () => {
      started.resolve();
      await end.promise;
    });
  };
  const held = (['reads', 'writes', 'probes'] as const).map((share) => hold(io(share)));
  await Promise.all(begun);
  const late: string[] = [];
  const waiting = (['reads', 'writes', 'probes'] as const).map((share) =>
    transact(pool, io(share), async () => void late.push(share)),
  );
  const { turn: _, ...engine } = io('engine');
  // Work that has no share of its own uses the engine's share.
  await Promise.all([1, 2].map(() => transact(pool, engine, (session) => session.script(''))));
  expect(late).toEqual([]);
  expect(Object.fromEntries(sharesOf(pool)?.waiting ?? [])).toEqual({
    reads: 1,
    writes: 1,
    engine: 0,
    probes: 1,
  });
  end.resolve();
  await Promise.all([...held, ...waiting]);
  expect(late.toSorted()).toEqual(['probes', 'reads', 'writes']);
});

test('tenants take turns, and a call that is given up or fails gives its connection back', async () => {
  await using under = await shared();
  const { pool } = under;
  const end = Promise.withResolvers<void>();
  const first = onConnection(pool, io('reads'), () => end.promise);
  const done: string[] = [];
  const note = (party: string) => (session: Session) => {
    done.push(party);
    return session.script('select 1');
  };
  const greedy = [1, 2, 3].map(() => transact(pool, io('reads', 'greedy'), note('greedy')));
  const modest = transact(pool, io('reads', 'modest'), note('modest'));
  const gone = new AbortController();
  const givenUp = transact(pool, io('reads', 'gone', gone.signal), note('gone'));
  gone.abort(new Error('gone'));
  await expect(givenUp).rejects.toThrow('gone');
  const fails = transact(pool, io('reads', 'failing'), () => Promise.reject(new Error('fails')));
  end.resolve();
  await expect(fails).rejects.toThrow('fails');
  await Promise.all([first, ...greedy, modest]);
  expect(done).toEqual(['greedy', 'modest', 'greedy', 'greedy']);
  expect(pool.totalCount).toBeLessThanOrEqual(5);
});

test('work without connections in this process is refused at once', async () => {
  await using under = await shared(0);
  await expect(transact(under.pool, io('reads'), async () => {})).rejects.toThrow('for reads');
});
