import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerClients } from './kit/clients.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import type { Sides } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { newRequest, transact } from './kit/steps.ts';
import { checkpointsIn, hasPassed, readAll, Tail, transactionsIn } from './kit/streams.ts';

/*
 * Offset checkpoints, after the public conformance suite CheckpointInTailingStreamsIT. Every case holds for update
 * streams and for completion streams alike.
 */

let network: Network;
let ledger: LedgerClients;
let sides: Sides;

beforeAll(async () => {
  network = await openNetwork();
  ledger = network.as(USER_ADMIN);
  sides = {
    user: await network.party('user', USER_ADMIN),
    provider: await network.party('provider', USER_ADMIN),
  };
});
afterAll(() => network?.[Symbol.asyncDispose]());

const STREAMS = [
  {
    name: 'update',
    follow: (party: string, beginExclusive: bigint) =>
      new Tail((options) =>
        ledger.updates.getUpdates(
          { beginExclusive, updateFormat: updatesOf(ACS_DELTA, [party]) },
          options,
        ),
      ),
  },
  {
    name: 'completion',
    follow: (party: string, beginExclusive: bigint) =>
      new Tail((options) =>
        ledger.completions.completionStream({ parties: [party], beginExclusive }, options),
      ),
  },
] as const;

describe.each(STREAMS)('a tailing $name stream', ({ follow }) => {
  it('gives a checkpoint once it has reached the ledger end', async () => {
    const begin = await ledgerEnd(ledger);
    await newRequest(ledger, sides);
    const end = await ledgerEnd(ledger);
    await using tail = follow(sides.user, begin);
    await tail.until(hasPassed(end));
    expect(checkpointsIn(tail.seen).at(-1)).toBe(end);
  });

  it('gives a checkpoint when it starts at the ledger end, though nothing happens', async () => {
    const end = await ledgerEnd(ledger);
    await using tail = follow(sides.user, end);
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    expect(new Set(checkpointsIn(tail.seen))).toEqual(new Set([end]));
  });

  it('moves its checkpoints on over what is not for the subscriber', async () => {
    const idle = await network.party('idle', USER_ADMIN);
    const begin = await ledgerEnd(ledger);
    await using tail = follow(idle, begin);
    for (let round = 0; round < 3; round += 1) {
      await newRequest(ledger, sides);
      await tail.until(hasPassed(await ledgerEnd(ledger)));
    }
    expect(tail.seen).toHaveLength(checkpointsIn(tail.seen).length);
  });

  it('never gives a checkpoint before its begin, nor one that goes back', async () => {
    await newRequest(ledger, sides);
    const begin = await ledgerEnd(ledger);
    await using tail = follow(sides.user, begin);
    for (let round = 0; round < 3; round += 1) {
      await newRequest(ledger, sides);
      await tail.until(hasPassed(await ledgerEnd(ledger)));
    }
    const checkpoints = checkpointsIn(tail.seen);
    expect(checkpoints.every((offset) => offset >= begin)).toBe(true);
    expect(checkpoints).toEqual(checkpoints.toSorted((a, b) => Number(a - b)));
  });
});

describe('a checkpoint', () => {
  it('never comes before an update that it covers', async () => {
    const begin = await ledgerEnd(ledger);
    await using tail = new Tail((options) =>
      ledger.updates.getUpdates(
        { beginExclusive: begin, updateFormat: updatesOf(ACS_DELTA, [sides.user]) },
        options,
      ),
    );
    const submitted = await Promise.all(
      Array.from({ length: 20 }, () =>
        transact(ledger, change(createRequest(sides), { actAs: [sides.user] })),
      ),
    );
    const last = submitted.reduce((most, { offset }) => (offset > most ? offset : most), 0n);
    await tail.until(hasPassed(last));

    const overtaken = tail.seen.filter(({ update }, index) => {
      const passed = checkpointsIn(tail.seen.slice(0, index)).at(-1) ?? begin;
      return update?.$case === 'transaction' && update.value.offset <= passed;
    });
    expect(overtaken).toEqual([]);
    expect(transactionsIn(tail.seen)).toHaveLength(20);
  });

  it('says when the synchronizer’s clock stood there', async () => {
    await using tail = STREAMS[0].follow(sides.user, await ledgerEnd(ledger));
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    const [first] = tail.seen;
    const checkpoint = 'update' in first! ? first.update?.value : undefined;
    expect(checkpoint).toMatchObject({
      synchronizerTimes: [{ synchronizerId: network.localnet.synchronizerId }],
    });
  });

  it('comes within the time that the participant announces', async () => {
    const { features } = await ledger.version.getLedgerApiVersion({});
    const delay = features?.offsetCheckpoint?.maxOffsetCheckpointEmissionDelay;
    expect(delay).toBeDefined();
    expect(Number(delay!.seconds) * 1_000 + delay!.nanos / 1e6).toBeGreaterThan(0);
  });

  it('is not part of a stream that has an end of its own, as far as transactions go', async () => {
    const begin = await ledgerEnd(ledger);
    const { offset } = await newRequest(ledger, sides);
    const responses = await readAll(
      ledger.updates.getUpdates({
        beginExclusive: begin,
        endInclusive: offset,
        updateFormat: updatesOf(ACS_DELTA, [sides.user]),
      }),
    );
    expect(transactionsIn(responses)).toHaveLength(1);
    expect(checkpointsIn(responses).every((checkpoint) => checkpoint <= offset)).toBe(true);
  });
});
