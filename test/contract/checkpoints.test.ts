import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { newRequest, transact } from './kit/steps.ts';
import { checkpointsIn, hasPassed, readAll, Tail, transactionsIn } from './kit/streams.ts';

/*
 * Offset checkpoints, modelled on the public conformance suite CheckpointInTailingStreamsIT. Every case is tested for
 * update streams and for completion streams.
 */

const { network, ledger, sides, asUser } = await forFile(openSides());

/** The times in the checkpoints of either stream, in microseconds. */
const checkpointMicrosIn = (seen: Parameters<typeof checkpointsIn>[0]): readonly bigint[] =>
  seen.flatMap((element) => {
    const content = 'update' in element ? element.update : element.completionResponse;
    if (content?.$case !== 'offsetCheckpoint') return [];
    return content.value.synchronizerTimes.map(
      ({ recordTime }) => recordTime!.seconds * 1_000_000n + BigInt(recordTime!.nanos / 1000),
    );
  });

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

describe.each(STREAMS)('on a quiet ledger a $name stream', ({ follow }) => {
  it('gives one checkpoint and nothing more, until the participant goes on', async () => {
    const end = await ledgerEnd(ledger);
    await using tail = follow(sides.user, end);
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    expect(tail.seen).toHaveLength(1);
    network.localnet.ledger.tick('app-user');
    await tail.until((seen) => checkpointsIn(seen).length > 1);
    expect(tail.seen).toHaveLength(2);
    const [first, second] = checkpointMicrosIn(tail.seen);
    expect(second! > first!).toBe(true);
  });

  it('is not moved by what other participants see', async () => {
    const end = await ledgerEnd(ledger);
    await using tail = follow(sides.user, end);
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    network.localnet.ledger.tick('sv');
    network.localnet.ledger.tick('app-user');
    await tail.until((seen) => checkpointsIn(seen).length > 1);
    expect(tail.seen).toHaveLength(2);
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
      Array.from({ length: 20 }, () => transact(ledger, asUser(createRequest(sides)))),
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

  it('never tells a time that is later than what it covers, however slowly it is read', async () => {
    const begin = await ledgerEnd(ledger);
    const elements = ledger.updates.getUpdates({
      beginExclusive: begin,
      updateFormat: updatesOf(ACS_DELTA, [sides.user]),
    });
    let reachedMicros = 0n;
    let isLive = false;
    for await (const { update } of elements) {
      // The participant does not wait while the test reads one element.
      if (update?.$case === 'transaction') {
        const { recordTime } = update.value;
        const micros = recordTime!.seconds * 1_000_000n + BigInt(recordTime!.nanos / 1000);
        expect(micros > reachedMicros).toBe(true);
        if (isLive) break;
      }
      if (update?.$case === 'offsetCheckpoint') {
        const [time] = update.value.synchronizerTimes;
        reachedMicros =
          time!.recordTime!.seconds * 1_000_000n + BigInt(time!.recordTime!.nanos / 1000);
        isLive = true;
      }
      await newRequest(ledger, sides);
    }
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
