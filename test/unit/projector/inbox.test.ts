import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { trusted } from '../../../src/domain/ids.ts';
import type { StreamElement } from '../../../src/projector/inbox.ts';
import { Inbox } from '../../../src/projector/inbox.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';

const never = new AbortController().signal;

const update = (updateId: string) =>
  ({ stream: 'updates', element: { kind: 'transaction', updateId } }) as unknown as StreamElement;
const completion = (updateId: string | null): StreamElement =>
  ({
    stream: 'completions',
    element: {
      kind: 'completion',
      participant: trusted('app-provider'),
      updateId: updateId === null ? null : trusted(updateId),
    },
  }) as unknown as StreamElement;

let inbox: Inbox;
let taken: readonly StreamElement[] | null;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the elements that the inbox gives in this turn of the event loop; `null` if it waits for more. */
async function take(max = 10): Promise<readonly StreamElement[] | null> {
  taken = null;
  void inbox.take(max, 60_000, never).then((found) => (taken = found));
  await settle();
  return taken;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  inbox = new Inbox(100);
});
afterEach(() => {
  vi.useRealTimers();
});

test('an update with its completion, and a refusal, are taken at once', async () => {
  inbox.push(completion('u-1'));
  inbox.push(update('u-1'));
  inbox.push(completion(null));
  expect(await take()).toHaveLength(3);
});

test('what has come alone waits a moment for the other, and no longer', async () => {
  inbox.push(update('of another client'));
  expect(await take()).toBeNull();
  vi.advanceTimersByTime(PROJECTOR_LIMITS.lingerMs);
  await settle();
  expect(taken).toHaveLength(1);

  inbox.push(completion('u-1'));
  expect(await take()).toBeNull();
  inbox.push(update('u-2'));
  await settle();
  expect(taken).toBeNull();
  inbox.push(update('u-1'));
  inbox.push(completion('u-2'));
  await settle();
  expect(taken).toHaveLength(4);
});

test('as many as are asked for wait for nothing', async () => {
  inbox.push(update('u-1'));
  inbox.push(update('u-2'));
  expect(await take(1)).toHaveLength(1);
});

/** Pushes an update and its completion at the same time. */
function happen(updateId: string): void {
  inbox.push(update(updateId));
  inbox.push(completion(updateId));
}

test('after several transactions a batch waits until nothing comes for a moment, or for long enough', async () => {
  happen('u-1');
  happen('u-2');
  expect(await take()).toHaveLength(4);
  happen('u-3');
  expect(await take()).toBeNull();
  vi.advanceTimersByTime(PROJECTOR_LIMITS.burstGapMs - 1);
  happen('u-4');
  await settle();
  vi.advanceTimersByTime(PROJECTOR_LIMITS.burstGapMs - 1);
  await settle();
  expect(taken).toBeNull();
  vi.advanceTimersByTime(1);
  await settle();
  expect(taken).toHaveLength(4);

  expect(await take(100)).toBeNull();
  const steps = PROJECTOR_LIMITS.burstMs / (PROJECTOR_LIMITS.burstGapMs - 1);
  for (let n = 0; n < steps; n += 1) {
    happen(`again-${n}`);
    await settle();
    expect(taken).toBeNull();
    vi.advanceTimersByTime(PROJECTOR_LIMITS.burstGapMs - 1);
  }
  await settle();
  expect(taken).not.toBeNull();
});

test('after one transaction by itself the next waits for no other', async () => {
  happen('u-1');
  happen('u-2');
  await take();
  happen('u-3');
  await take();
  vi.advanceTimersByTime(PROJECTOR_LIMITS.burstGapMs);
  await settle();
  expect(taken).toHaveLength(2);
  happen('u-4');
  expect(await take()).toHaveLength(2);
});
