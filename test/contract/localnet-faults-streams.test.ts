import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Completion } from '../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import { forFile } from '../kit/for-file.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { ACS_DELTA, eventsOf, updatesOf } from './kit/formats.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { LedgerRefusal, refusalOf } from './kit/refusal.ts';
import {
  checkpointsIn,
  completionsIn,
  hasPassed,
  readAll,
  readUntil,
  Tail,
  transactionsIn,
} from './kit/streams.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * Faults of streams as a client sees them: which elements arrive and which do not. The ledger itself is not affected.
 */

const network = await forFile(openNetwork());
const control = new Control(network);
const ledger = network.as(USER_ADMIN);
const user = await network.party('user', USER_ADMIN, USER_READER);
afterEach(() => control.clear());

/** Submits the commands one after another. @returns the offset after them */
async function make(...commandIds: readonly string[]): Promise<bigint> {
  for (const commandId of commandIds) {
    const create = createRequest({ user, provider: user });
    await ledger.commands.submitAndWait({ commands: change(create, { actAs: [user], commandId }) });
  }
  return ledgerEnd(ledger);
}
const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}-${randomUUID().slice(0, 8)}`);

const completions = (beginExclusive: bigint) => (options: { signal: AbortSignal }) =>
  ledger.completions.completionStream({ parties: [user], beginExclusive }, options);
const updates = (beginExclusive: bigint) => (options: { signal: AbortSignal }) =>
  ledger.updates.getUpdates(
    { beginExclusive, updateFormat: updatesOf(ACS_DELTA, [user]) },
    options,
  );
const namesOf = (found: readonly Completion[]) => found.map(({ commandId }) => commandId);
const completionsUpTo = async (begin: bigint, end: bigint): Promise<string[]> =>
  namesOf(completionsIn(await readUntil(completions(begin), hasPassed(end))));
const isCut = (error: unknown) => error instanceof LedgerRefusal && error.status === 'UNAVAILABLE';

describe('a completion that is withheld', () => {
  test('comes on no stream until that is over, and everything else does', async () => {
    const begin = await ledgerEnd(ledger);
    const [a = '', b = '', c = ''] = ids('withheld', 3);
    await using open = new Tail(completions(begin));
    const fault = await control.fault({ kind: 'withhold', where: { commandId: b } });
    const end = await make(a, b, c);
    await open.until(hasPassed(end));
    expect(namesOf(completionsIn(open.seen))).toEqual([a, c]);
    expect(await completionsUpTo(begin, end)).toEqual([a, c]);
    // The update of this command is on the update stream nevertheless.
    const seen = transactionsIn(await readUntil(updates(begin), hasPassed(end)));
    expect(seen.map(({ commandId }) => commandId)).toEqual([a, b, c]);
    const told = await control.told(fault.id);
    expect(told).toMatchObject({ struck: 1, state: 'active' });
    await control.remove(fault.id);
    const all = completionsIn(await readUntil(completions(begin), hasPassed(end)));
    expect(namesOf(all)).toEqual([a, b, c]);
    // The control route lists withheld elements, so that they can be distinguished from elements that a reader has
    // lost.
    expect(told.withheld).toEqual([`app-user/${all[1]?.offset}`]);
  });

  test('is the same one on every stream when only so many are', async () => {
    const begin = await ledgerEnd(ledger);
    const fault = await control.fault({ kind: 'withhold', skip: 1, times: 1 });
    const [a = '', b = '', c = ''] = ids('one-of', 3);
    const end = await make(a, b, c);
    for (let i = 0; i < 2; i += 1) expect(await completionsUpTo(begin, end)).toEqual([a, c]);
    expect(await control.told(fault.id)).toMatchObject({ struck: 1, state: 'spent' });
  });

  test('comes by itself when the time is over', async () => {
    const begin = await ledgerEnd(ledger);
    const fault = await control.fault({ kind: 'withhold', seconds: 0.3 });
    const [a = ''] = ids('for-a-while', 1);
    const end = await make(a);
    await vi.waitFor(
      async () => expect(await control.told(fault.id)).toMatchObject({ state: 'over' }),
      PATIENCE_MS,
    );
    expect(await completionsUpTo(begin, end)).toEqual([a]);
  });
});

test('a completion may come twice, with the same offset', async () => {
  const begin = await ledgerEnd(ledger);
  const [a = '', b = ''] = ids('twice', 2);
  await control.fault({ kind: 'duplicate', where: { commandId: a } });
  const end = await make(a, b);
  const found = completionsIn(await readUntil(completions(begin), hasPassed(end)));
  expect(namesOf(found)).toEqual([a, a, b]);
  expect(found[0]).toEqual(found[1]);
});

test('a completion may come after later ones, and never after a checkpoint that covers it', async () => {
  const begin = await ledgerEnd(ledger);
  const [a = '', b = '', c = ''] = ids('late', 3);
  const end = await make(a, b, c);
  await control.fault({ kind: 'reorder', by: 2, where: { commandId: a } });
  await control.fault({ kind: 'reorder', by: 5, where: { commandId: c } });
  const seen = await readUntil(completions(begin), hasPassed(end));
  const places = seen.map((response) => {
    const [completion] = completionsIn([response]);
    return completion?.commandId ?? `checkpoint ${checkpointsIn([response])[0]! >= end}`;
  });
  // The completion c would only follow further elements, so the checkpoint releases it.
  expect(places).toEqual([b, a, c, 'checkpoint true']);
});

describe('streams that are cut', () => {
  test.each([
    ['unavailable', { status: 'UNAVAILABLE', detailTypes: [] }],
    ['reset', { status: 'UNAVAILABLE', detailTypes: [] }],
  ])('end at once, also when nothing happens: %s', async (how, expected) => {
    const begin = await ledgerEnd(ledger);
    await using first = new Tail(completions(begin));
    await using second = new Tail(updates(begin));
    await Promise.all([first.until(hasPassed(begin)), second.until(hasPassed(begin))]);
    const fault = await control.fault({ kind: 'cut', how });
    expect(fault).toMatchObject({ state: 'spent', struck: 2 });
    expect(await Promise.all([first.end(), second.end()])).toMatchObject([expected, expected]);
    await readUntil(completions(begin), hasPassed(begin));
  });

  test('may be those of one method, one user, one party', async () => {
    const begin = await ledgerEnd(ledger);
    await using ours = new Tail(completions(begin));
    await using theirs = new Tail((options) =>
      network
        .as(USER_READER)
        .completions.completionStream({ parties: [user], beginExclusive: begin }, options),
    );
    await using other = new Tail(updates(begin));
    for (const tail of [ours, theirs]) await tail.until(hasPassed(begin));
    await other.until(hasPassed(begin));
    await control.fault({
      kind: 'cut',
      code: 'STALE_STREAM_AUTHORIZATION',
      where: {
        method: 'CompletionStream',
        user: USER_READER.userId,
        party: `${user.slice(0, 9)}*`,
      },
    });
    expect(await theirs.end()).toMatchObject({
      status: 'ABORTED',
      reason: 'STALE_STREAM_AUTHORIZATION',
      retryDelayMs: 0,
    });
    const end = await make(...ids('goes-on', 1));
    await ours.until(hasPassed(end));
    await other.until(hasPassed(end));
  });

  test('after so many elements: no gap and no repeat for who resumes after the last', async () => {
    const begin = await ledgerEnd(ledger);
    const names = ids('piece', 7);
    const end = await make(...names);
    const fault = await control.fault({
      kind: 'cut-at',
      afterElements: 2,
      times: 3,
      where: { method: 'CompletionStream' },
    });
    const found: Completion[] = [];
    for (let i = 0; i < 3; i += 1) {
      await using tail = new Tail(completions(found.at(-1)?.offset ?? begin));
      expect(await tail.end()).toSatisfy(isCut);
      found.push(...completionsIn(tail.seen));
      expect(found).toHaveLength(2 * (i + 1));
    }
    const rest = await readUntil(completions(found.at(-1)!.offset), hasPassed(end));
    expect([...namesOf(found), ...namesOf(completionsIn(rest))]).toEqual(names);
    expect(await control.told(fault.id)).toMatchObject({ struck: 3, state: 'spent' });
  });

  test('right before one completion', async () => {
    const begin = await ledgerEnd(ledger);
    const [a = '', b = ''] = ids('before', 2);
    await make(a, b);
    await control.fault({ kind: 'cut-at', times: 1, where: { commandId: b } });
    await using tail = new Tail(completions(begin));
    expect(await tail.end()).toSatisfy(isCut);
    expect(namesOf(completionsIn(tail.seen))).toEqual([a]);
  });

  test('may seem to have come to their end', async () => {
    const begin = await ledgerEnd(ledger);
    await make(...ids('end', 2));
    await control.fault({ kind: 'cut-at', how: 'end', afterElements: 1, times: 1 });
    await using tail = new Tail(updates(begin));
    expect(await tail.end()).toBeUndefined();
    expect(transactionsIn(tail.seen)).toHaveLength(1);
  });

  test('in the middle of a snapshot', async () => {
    await make(...ids('snapshot', 3));
    const activeAtOffset = await ledgerEnd(ledger);
    const read = () =>
      readAll(ledger.state.getActiveContracts({ activeAtOffset, eventFormat: eventsOf([user]) }));
    const whole = await read();
    await control.fault({ kind: 'cut-at', afterElements: 2, times: 1 });
    expect(await refusalOf(read())).toMatchObject({ status: 'UNAVAILABLE' });
    expect(await read()).toEqual(whole);
  });

  test('again and again', async () => {
    const begin = await ledgerEnd(ledger);
    const fault = await control.fault({ kind: 'cut', everySeconds: 0.1, times: 3 });
    for (let i = 0; i < 3; i += 1) {
      await using tail = new Tail(completions(begin));
      expect(await tail.end()).toSatisfy(isCut);
    }
    expect(await control.told(fault.id)).toMatchObject({ state: 'spent', struck: 3 });
    await readUntil(completions(begin), hasPassed(begin));
  });
});

describe('streams that fall silent', () => {
  test('stay open, without even a checkpoint, and stay so when the fault is gone', async () => {
    const begin = await ledgerEnd(ledger);
    await using open = new Tail(completions(begin));
    await open.until(hasPassed(begin));
    const fault = await control.fault({ kind: 'silence', where: { method: 'CompletionStream' } });
    await using opened = new Tail(completions(begin));
    await using other = new Tail(updates(begin));
    const end = await make(...ids('silent', 2));
    await other.until(hasPassed(end));
    expect(await control.told(fault.id)).toMatchObject({ struck: 2 });
    await control.clear();
    expect(await completionsUpTo(begin, end)).toHaveLength(2);
    expect(completionsIn(open.seen)).toEqual([]);
    expect(opened.seen).toEqual([]);
  });

  test('do not end either', async () => {
    await control.fault({ kind: 'silence', times: 1 });
    const snapshot = ledger.state.getActiveContracts(
      { activeAtOffset: 0n, eventFormat: eventsOf([user]) },
      { signal: AbortSignal.timeout(300) },
    );
    await expect(readAll(snapshot)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('a participant that holds everything back goes on where it was, and nothing is lost', async () => {
  const begin = await ledgerEnd(ledger);
  await using tail = new Tail(completions(begin));
  await tail.until(hasPassed(begin));
  const fault = await control.fault({ kind: 'hold', where: { participant: 'app-user' } });
  const [a = ''] = ids('held', 1);
  const made = make(a);
  await vi.waitFor(async () => expect((await control.told(fault.id)).struck).toBe(1), PATIENCE_MS);
  expect(completionsIn(tail.seen)).toEqual([]);
  await control.remove(fault.id);
  await made;
  await tail.until((seen) => completionsIn(seen).length === 1);
  expect(namesOf(completionsIn(tail.seen))).toEqual([a]);
});

test('slow elements come late and in order', async () => {
  const begin = await ledgerEnd(ledger);
  const names = ids('slow', 3);
  const end = await make(...names);
  await control.fault({ kind: 'slow-stream', ms: 100 });
  const startedMs = performance.now();
  expect(await completionsUpTo(begin, end)).toEqual(names);
  expect(performance.now() - startedMs).toBeGreaterThan(290);
});
