import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LedgerGateway, LedgerStreams } from '../../../src/app/ports/ledger.ts';
import type { Replay } from '../../../src/app/ports/tombstones.ts';
import type { Store, Tx } from '../../../src/app/ports/transaction.ts';
import type { CursorMove } from '../../../src/app/ports/writes.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { LaneId, ParticipantName } from '../../../src/domain/ids.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { CompletionElement, LedgerUpdate } from '../../../src/domain/ledger.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { startProjector } from '../../../src/projector/projector.ts';
import type { Projector } from '../../../src/projector/status.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

/* The projector on a store and a ledger in memory, while one of them fails. */

const P = trusted<ParticipantName>('app-provider');
const U = trusted<ParticipantName>('app-user');

interface World {
  readonly moveCursors?: (moves: readonly CursorMove[]) => Promise<boolean>;
  readonly updates?: (after: bigint, signal: AbortSignal) => AsyncIterable<LedgerUpdate>;
  readonly completions?: (
    participant: ParticipantName,
    signal: AbortSignal,
  ) => AsyncIterable<CompletionElement>;
  readonly ledgerEnd?: (participant: ParticipantName) => Promise<bigint>;
  readonly waiting?: () => readonly LaneId[];
  readonly lock?: (lanes: readonly LaneId[]) => void;
  readonly reached?: (participant: ParticipantName) => Promise<void>;
  readonly back?: (participant: ParticipantName) => Promise<void>;
}

// oxlint-disable-next-line require-yield -- a stream on which nothing comes
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const REPLAYED: Replay = {
  isChecked: true,
  to: null,
  ledgerUser: 'backend',
  lostUntil: null,
  heldFrom: null,
};

function start(world: World): Projector {
  const cursors = new Map([
    ['updates', 10n],
    [`completions:${P}`, 10n],
    [`completions:${U}`, 10n],
  ]);
  const tx = {
    cursors: () => Promise.resolve(cursors),
    landmarks: () => Promise.resolve(new Map()),
    participantCauses: () => Promise.resolve([]),
    startCursor: () => Promise.resolve(true),
    followedTypes: () => Promise.resolve(new Set(['p:M:T'])),
    moveCursors: world.moveCursors ?? (() => Promise.resolve(true)),
    lanesOf: () => Promise.resolve({ lineage: [], submissions: [], waiting: [], unknown: [] }),
    replays: async () => new Map([...cursors.keys()].map((stream) => [stream, REPLAYED])),
    beginReplay: () => Promise.resolve(true),
    lanesWaitingFor: async () => world.waiting?.() ?? [],
    lock: async (lanes: readonly LaneId[]) => {
      world.lock?.(lanes);
      return { mailboxes: [], lifecycles: [], heads: [] };
    },
    insertUpdates: () => Promise.resolve(),
    save: () => Promise.resolve(),
    interruptedLanes: async () => [],
  } as unknown as Tx;
  const store: Pick<Store, 'transact'> = { transact: (_io, work) => work(tx) };
  const gateway = {
    ledgerEnd: world.ledgerEnd ?? (() => Promise.resolve(1_000_000n)),
    updateAt: () => Promise.resolve(null),
  } as unknown as LedgerGateway;
  const streams = {
    participants: [P, U],
    projected: P,
    readAs: [],
    types: ['p:M:T'],
    updates: (after: bigint, signal: AbortSignal) =>
      world.updates?.(after, signal) ?? silence(signal),
    completions: (participant: ParticipantName, _after: bigint, signal: AbortSignal) =>
      world.completions?.(participant, signal) ?? silence(signal),
    transactionsOf: async function* none() {},
    rightsOn: async () => ({ ledgerUser: 'backend', actAs: [] }),
  } as unknown as LedgerStreams;
  let epoch = 0n;
  const quiet = () => undefined;
  return startProjector({
    model: NEWEST_MODEL,
    store: store as Store,
    gateway,
    streams,
    hear: () => Promise.resolve(null),
    bounds: { toleranceMs: 60_000, clockDifferenceMs: 1_000 },
    outbox: {
      participantReached: world.reached ?? (() => Promise.resolve()),
      completionsBack: world.back ?? (() => Promise.resolve()),
    },
    leases: {
      acquire: () => Promise.resolve((epoch += 1n)),
      renew: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    },
    wallClock: { nowMs: Date.now },
    ledgerClock: {
      nowMs: Date.now,
      pastMs: Date.now,
      provenMs: Date.now,
      certainMs: Date.now,
      ask: () => undefined,
      observe: quiet,
      refresh: () => Promise.resolve(),
    },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    random: Math.random,
    holder: 'test',
    isUnavailable: (error) => String(error).includes('went away'),
    silenceMs: 60_000,
  });
}

describe('the projector', () => {
  test('starts over when a batch fails while its inbox is full, and can be stopped', async () => {
    let applied = 0;
    const projector = start({
      moveCursors: async () => {
        applied += 1;
        await sleep(1);
        if (applied === 5) throw new Error('the database went away for a moment');
        return true;
      },
      async *updates(after, signal) {
        for (let offset = after + 1n; !signal.aborted; offset += 1n) {
          yield { kind: 'position', offset, recordTime: null, times: new Map() };
        }
      },
    });
    await expect.poll(() => applied).toBeGreaterThan(10);
    await projector.stop();
    expect(projector.status().state).toBe('stopped');
  });

  test('gets through a backlog of which the database takes little at a time', async () => {
    let taken = 0n;
    const projector = start({
      moveCursors: async (moves) => {
        const move = moves.find(({ stream }) => stream === 'updates');
        const count = move === undefined ? 0n : move.to - move.from;
        await sleep(1);
        if (count > 40n) throw new Error('the database went away: its time was over');
        // A batch that takes this long does not make the next batch larger.
        if (count > 20n) await sleep(PROJECTOR_LIMITS.batchMs);
        taken += count;
        return true;
      },
      async *updates(after, signal) {
        for (let offset = after + 1n; !signal.aborted; offset += 1n) {
          yield { kind: 'position', offset, recordTime: null, times: new Map() };
        }
      },
    });
    // The first batch of a term is small, and is committed even if what follows fails.
    await expect.poll(() => taken, { timeout: 20_000 }).toBeGreaterThan(150n);
    await projector.stop();
  });

  test('settles what has waited a part at a time, and all of it in the end', async () => {
    const max = LIMITS.overdueLanesMax;
    const left = new Set(Array.from({ length: 2 * max + 1 }, (_, n) => trusted<LaneId>(`l${n}`)));
    // Lanes that another process works on stay in the list.
    const kept = new Set([...left].slice(0, 10));
    const projector = start({
      waiting: () => [...left],
      lock: (lanes) => {
        if (lanes.length > max) throw new Error('the database went away: its time was over');
        for (const lane of lanes) if (!kept.has(lane)) left.delete(lane);
      },
      async *updates(after, signal) {
        for (let offset = after + 1n; !signal.aborted; offset += 1n) {
          await sleep(1);
          yield { kind: 'position', offset, recordTime: null, times: new Map() };
        }
      },
    });
    await expect.poll(() => left.size, { timeout: PATIENCE_MS }).toBe(kept.size);
    await projector.stop();
  });

  test('follows the provider while the users’ participant is away, and says so', async () => {
    const projector = start({
      ledgerEnd: (name) =>
        name === U ? Promise.reject(new Error('no answer')) : Promise.resolve(1_000n),
    });
    await expect.poll(() => projector.status().state).toBe('following');
    await expect
      .poll(() => projector.status().broken.get(`completions:${U}`)?.reason)
      .toBe('no answer');
    await projector.stop();
  });

  test('tells that a participant is there again when its stream goes on, and only then', async () => {
    const reached: ParticipantName[] = [];
    const back: ParticipantName[] = [];
    let isAway = true;
    const projector = start({
      ledgerEnd: (name) =>
        name === U && isAway ? Promise.reject(new Error('no answer')) : Promise.resolve(1_000n),
      reached: (name) => {
        reached.push(name);
        // This failure is noticed by the next probe.
        return Promise.reject(new Error('the database went away'));
      },
      back: (name) => {
        back.push(name);
        return Promise.reject(new Error('the database went away'));
      },
    });
    await expect.poll(() => projector.status().broken.has(`completions:${U}`)).toBe(true);
    await expect.poll(() => projector.status().awaited).toEqual(new Set([`completions:${U}`]));
    expect([reached, back]).toEqual([[], []]);
    isAway = false;
    await expect.poll(() => reached, { timeout: 15_000 }).toEqual([U]);
    expect(back).toEqual([U]);
    expect(projector.status().state).toBe('following');
    await projector.stop();
  });

  test('asks often for a participant to which there is no connection', async () => {
    let asked = 0;
    const projector = start({
      ledgerEnd: (name) => {
        if (name !== U) return Promise.resolve(1_000n);
        asked += 1;
        return Promise.reject(Object.assign(new Error('no connection'), { retry: 'away' }));
      },
    });
    // With the backoff for a busy participant, this number of calls would take 11 s.
    await expect.poll(() => asked, { timeout: 8_000 }).toBeGreaterThan(15);
    await projector.stop();
  });

  test('goes on with the other streams when one needs a person', async () => {
    let applied = 0n;
    const projector = start({
      // oxlint-disable-next-line require-yield -- a stream that only fails
      async *completions(participant, signal) {
        if (participant === P) return yield* silence(signal);
        throw Object.assign(new Error('no rights'), { code: 'NO_RIGHTS', retry: 'person' });
      },
      async *updates(after, signal) {
        for (let offset = after + 1n; !signal.aborted; offset += 1n) {
          applied = offset;
          yield { kind: 'position', offset, recordTime: null, times: new Map() };
          await sleep(5);
        }
      },
    });
    await expect
      .poll(() => projector.status().broken.get(`completions:${U}`)?.code)
      .toBe('NO_RIGHTS');
    const before = applied;
    await expect
      .poll(() => projector.status().cursors.get('updates') ?? 0n)
      .toBeGreaterThan(before);
    expect(projector.status().state).toBe('following');
    await projector.stop();
  });
});
