import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsualConnections, usualFor } from '../../../src/store/sql/usual.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const PATIENCE_MS = 50;
const KEPT_MS = 1_000;
const NEVER = new Promise<never>(() => undefined);

const opened = (usual: number, max: number) =>
  new UsualConnections({ usual, max, patienceMs: PATIENCE_MS, keptMs: KEPT_MS });

/** Returns functions that ask for connections, and records which callers have got one. */
function asking(connections: UsualConnections) {
  const had: string[] = [];
  const ask = async (name: string, over = NEVER) => {
    await connections.enter(over);
    had.push(name);
  };
  const settled = () => vi.advanceTimersByTimeAsync(0);
  return { had, ask, settled };
}

test('so many have a turn at once, and who leaves lets in who asked first', async () => {
  const connections = opened(2, 4);
  const { had, ask, settled } = asking(connections);
  for (const name of ['a', 'b', 'c', 'd']) void ask(name);
  await settled();
  expect(had).toEqual(['a', 'b']);
  connections.leave();
  await settled();
  expect(had).toEqual(['a', 'b', 'c']);
  // A caller that comes later does not overtake callers that already wait.
  void ask('e');
  connections.leave();
  await settled();
  expect(had).toEqual(['a', 'b', 'c', 'd']);
  expect(connections.atOnce).toBe(2);
});

test('a turn that comes in time opens no further connection', async () => {
  const connections = opened(1, 4);
  const { had, ask } = asking(connections);
  for (const name of ['a', 'b', 'c']) void ask(name);
  await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
  connections.leave();
  await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
  connections.leave();
  await vi.advanceTimersByTimeAsync(10 * PATIENCE_MS);
  expect(had).toEqual(['a', 'b', 'c']);
  expect(connections.atOnce).toBe(1);
});

test('those that hold theirs hold nobody up for long', async () => {
  const connections = opened(2, 4);
  const { had, ask } = asking(connections);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void ask(name);
  await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
  expect(had).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1);
  expect(had).toEqual(['a', 'b', 'c']);
  // When the maximum number of connections is open, callers wait for the pool itself.
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  expect(had).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(connections.atOnce).toBe(4);
});

test('what was opened for them is given up one by one, and opened again where it is needed', async () => {
  const connections = opened(1, 3);
  const { ask } = asking(connections);
  for (const name of ['a', 'b', 'c']) void ask(name);
  await vi.advanceTimersByTimeAsync(2 * PATIENCE_MS);
  expect(connections.atOnce).toBe(3);
  for (let n = 0; n < 3; n += 1) connections.leave();
  const atOnce: number[] = [];
  for (const name of ['d', 'e', 'f', 'g']) {
    await vi.advanceTimersByTimeAsync(KEPT_MS);
    await ask(name);
    connections.leave();
    atOnce.push(connections.atOnce);
  }
  expect(atOnce).toEqual([2, 1, 1, 1]);
  void ask('h');
  void ask('i');
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  expect(connections.atOnce).toBe(2);
});

test('who waits no longer has no turn, and takes none away', async () => {
  const connections = opened(1, 4);
  const { had, ask, settled } = asking(connections);
  void ask('a');
  const over = Promise.withResolvers<never>();
  const gone = ask('gone', over.promise);
  void ask('b');
  over.reject(new Error('no longer'));
  await expect(gone).rejects.toThrow('no longer');
  connections.leave();
  await settled();
  expect(had).toEqual(['a', 'b']);
});

test('a turn that comes as its caller goes is the next one’s', async () => {
  const connections = opened(1, 4);
  const { had, ask, settled } = asking(connections);
  void ask('a');
  const over = Promise.withResolvers<never>();
  const gone = ask('gone', over.promise);
  void ask('b');
  over.reject(new Error('no longer'));
  connections.leave();
  await expect(gone).rejects.toThrow('no longer');
  await settled();
  expect(had).toEqual(['a', 'b']);
  expect(connections.atOnce).toBe(1);
});

test('nothing is timed once nobody waits', async () => {
  const connections = opened(1, 4);
  const { ask, settled } = asking(connections);
  void ask('a');
  const over = Promise.withResolvers<never>();
  const gone = ask('gone', over.promise);
  await settled();
  expect(vi.getTimerCount()).toBe(1);
  over.reject(new Error('no longer'));
  await expect(gone).rejects.toThrow('no longer');
  expect(vi.getTimerCount()).toBe(0);
  void ask('b');
  connections.leave();
  await settled();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['postgresql://tenure:secret@localhost/tenure?host=/run/tenure', 3],
  ['postgresql://tenure:secret@127.0.0.1:5432/tenure', null],
  ['postgresql://tenure:secret@localhost:5432,127.0.0.1:5433/tenure', null],
  ['postgresql://tenure:secret@db.example/tenure', null],
  ['nonsense', null],
])('connections to %s', (url, usual) => {
  expect(usualFor(url, 2)).toBe(usual);
});
