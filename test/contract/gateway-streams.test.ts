import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_FAULTS } from '../../localnet/faults.ts';
import type { FaultPlan } from '../../localnet/faults.ts';
import { LedgerError } from '../../localnet/ledger/ledger-error.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { parseParty, trusted } from '../../src/domain/ids.ts';
import type { ActiveContract, LedgerUpdate } from '../../src/domain/ledger.ts';
import { APP_INSTALL, APP_INSTALL_REQUEST } from '../../src/domain/licensing.ts';
import { StreamEnded } from '../../src/ledger/streams.ts';
import { forFile } from '../kit/for-file.ts';
import { USER_ADMIN } from './kit/identities.ts';
import {
  created,
  exercise,
  io,
  LedgerClient,
  META,
  PROVIDER_SIDE,
  USER_SIDE,
} from './kit/ledger-client.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/** Called before each element of an update stream is sent; if it returns true, the stream is cut there. */
let isCut: () => boolean = () => false;
const faults: FaultPlan = {
  ...NO_FAULTS,
  onElement: ({ path }, element) =>
    path.endsWith('/GetUpdates') && isCut()
      ? { kind: 'cut', error: new LedgerError('ACCESS_TOKEN_EXPIRED', 'as planned') }
      : { kind: 'deliver', elements: [element] },
};

const ledger = await forFile(LedgerClient.open({ faults }));
beforeEach(() => {
  isCut = () => false;
});

const updatesAfter = (offset: bigint) => (signal: AbortSignal) =>
  ledger.streams.updates(offset, signal);
const transactions = (updates: readonly LedgerUpdate[]) =>
  updates.filter((update) => update.kind === 'transaction');

/**
 * Returns the updates that arrive after `after` before the stream is cut. The stream is cut after at most two elements.
 */
async function pieceOf(
  after: bigint,
  end: bigint,
): Promise<{ updates: LedgerUpdate[]; ended: unknown }> {
  let delivered = 0;
  isCut = () => (delivered += 1) > 2;
  const updates: LedgerUpdate[] = [];
  try {
    for await (const update of ledger.streams.updates(after, AbortSignal.timeout(PATIENCE_MS))) {
      updates.push(update);
      if (update.offset >= end) break;
    }
    return { updates, ended: null };
  } catch (ended) {
    return { updates, ended };
  }
}

/** Creates requests and rejects them, which makes two transactions for each. */
async function makeTransactions(count: number): Promise<bigint> {
  for (let i = 0; i < count; i += 1) {
    const { contractId } = await ledger.createInstallRequest();
    const reject = exercise(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Reject', {
      meta: META,
    });
    await ledger.transact(await ledger.request(ledger.provider, reject));
  }
  return ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
}

describe('updates', () => {
  test('resumed after any of them are the rest: no gap and no repeat', async () => {
    const begin = await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
    const end = await makeTransactions(4);
    const all = transactions(await ledger.upTo(updatesAfter(begin), end));
    expect(all).toHaveLength(8);
    expect(all.map(({ offset }) => offset)).toEqual(
      all.map(({ offset }) => offset).toSorted((a, b) => Number(a - b)),
    );
    for (const [i, { offset }] of all.entries()) {
      const rest = transactions(await ledger.upTo(updatesAfter(offset), end));
      expect(rest).toEqual(all.slice(i + 1));
    }
  });

  test('that are cut again and again, and resumed each time, are the same as uncut', async () => {
    const begin = await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
    const end = await makeTransactions(3);
    const whole = transactions(await ledger.upTo(updatesAfter(begin), end));

    const pieced: LedgerUpdate[] = [];
    let cursor = begin;
    let cuts = 0;
    while (cursor < end) {
      const { updates, ended } = await pieceOf(cursor, end);
      pieced.push(...updates);
      cursor = updates.at(-1)?.offset ?? cursor;
      if (cursor >= end) break;
      expect(ended).toBeInstanceOf(StreamEnded);
      expect(ended).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED', retry: 'now' });
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(1);
    expect(transactions(pieced)).toEqual(whole);
  });

  test('move on by checkpoints while nothing happens', async () => {
    const end = await makeTransactions(1);
    const position = await ledger.first(
      updatesAfter(end),
      (update): update is LedgerUpdate => update.kind === 'position',
    );
    expect(position.offset).toBeGreaterThanOrEqual(end);
  });

  test('cannot be resumed after the end of the ledger', async () => {
    const end = await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
    await expect(ledger.upTo(updatesAfter(end + 1_000n), end + 2_000n)).rejects.toMatchObject({
      name: 'StreamEnded',
      code: 'OFFSET_AFTER_LEDGER_END',
      retry: 'person',
    });
  });
});

test('the active contracts at an offset and the updates after it are the whole story', async () => {
  const request = await ledger.createInstallRequest();
  const accept = exercise(APP_INSTALL_REQUEST, request.contractId, 'AppInstallRequest_Accept', {
    installMeta: META,
    meta: META,
  });
  const accepted = await ledger.transact(await ledger.request(ledger.provider, accept));
  const install = created(accepted, APP_INSTALL);
  const kept = await ledger.createInstallRequest();
  const at = await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
  const reject = exercise(APP_INSTALL_REQUEST, kept.contractId, 'AppInstallRequest_Reject', {
    meta: META,
  });
  await ledger.transact(await ledger.request(ledger.provider, reject));

  const signal = AbortSignal.timeout(PATIENCE_MS);
  const active: ActiveContract[] = [];
  for await (const contract of ledger.streams.activeContracts(at, signal)) active.push(contract);
  const byId = new Map(active.map((contract) => [contract.created.contractId, contract]));
  expect(byId.size).toBe(active.length);
  expect(byId.has(request.contractId)).toBe(false);
  // Apart from its witnesses, the contract in the snapshot is the same as in the stream when it was created.
  expect(byId.get(install.contractId)).toMatchObject({
    created: { ...install, nodeId: expect.any(Number) as number },
    createdAtOffset: accepted.offset,
    createdAt: accepted.effectiveAt,
    synchronizerId: ledger.localnet.synchronizerId,
  });
  expect(byId.get(kept.contractId)?.created.payload).toEqual(kept.payload);
  const end = await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io());
  const later = transactions(await ledger.upTo(updatesAfter(at), end));
  expect(later.flatMap(({ events }) => events)).toMatchObject([
    { kind: 'exercised', contractId: kept.contractId, consuming: true },
  ]);
});

test('a party that is granted later is found, and its completions are heard', async () => {
  const before = await ledger.gateway.ledgerEnd(USER_SIDE, io());
  const reader = new AbortController();
  const open = ledger.streams.completions(USER_SIDE, before, reader.signal)[Symbol.asyncIterator]();
  await open.next();

  const party = parseParty(await ledger.network.party('late', USER_ADMIN));
  // The stream was opened for the parties that existed then. It ends with an error instead of omitting the new party.
  const ended = (async () => {
    while ((await open.next()).done !== true);
  })();
  await expect(ended).rejects.toMatchObject({ name: 'StreamEnded', retry: 'now' });

  await expect
    .poll(() => ledger.hosting.submitterFor(party, io()), { interval: 250 })
    .toMatchObject({ participant: USER_SIDE, actAs: party });
  const completion = await ledger.complete(
    await ledger.request(party, ledger.installRequest(party)),
  );
  expect(completion).toMatchObject({ actAs: [party], answer: null });
});

describe('a ledger that takes its time', () => {
  let slow: LedgerClient;
  beforeAll(async () => {
    slow = await LedgerClient.open({ latencyMs: 300 });
  });
  afterAll(async () => {
    await slow[Symbol.asyncDispose]();
  });
  const again = () => trusted<SubmissionId>(randomUUID());

  test('in-flight: the same command while the first is being processed', async () => {
    const request = await slow.request(slow.user, slow.installRequest());
    const after = await slow.gateway.ledgerEnd(USER_SIDE, io());
    expect(await slow.submit(request)).toBeNull();
    expect(await slow.submit({ ...request, submissionId: again() })).toMatchObject({
      class: 'in-flight',
      code: 'SUBMISSION_ALREADY_IN_FLIGHT',
    });
    expect(await slow.completionOf(request, after)).toMatchObject({ answer: null });
  });

  test('contention: another command on the same contract', async () => {
    const { contractId } = await slow.createInstallRequest();
    const reject = exercise(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Reject', {
      meta: META,
    });
    const requests = [
      await slow.request(slow.provider, reject),
      await slow.request(slow.provider, reject),
    ];
    const completions = await Promise.all(requests.map((request) => slow.complete(request)));
    const answers = completions.map(({ answer }) => answer);
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    expect(answers.find((answer) => answer !== null)).toMatchObject({
      class: 'contention',
      code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
    });
  });
});

describe('a ledger whose time stands still', () => {
  test('is found out, and its time is followed', async () => {
    const start = '2030-01-01T00:00:00.000Z';
    await using still = await LedgerClient.open({ staticTime: start });
    expect(still.discovered.isTimeStatic).toBe(true);
    expect(still.clock.nowMs()).toBe(Date.parse(start));

    const month = 30 * 24 * 60 * 60 * 1_000;
    still.localnet.ledger.setTime(BigInt(Date.parse(start) + month) * 1_000n);
    await expect
      .poll(async () => {
        await still.clock.refresh(io());
        return still.clock.nowMs();
      })
      .toBe(Date.parse(start) + month);
  });
});

test('what a participant has forgotten is neither guessed at nor waited for', async () => {
  await using client = await LedgerClient.open({ maxDeduplicationDurationMs: 20 });
  await client.createInstallRequest();
  const forgotten = await client.gateway.ledgerEnd(USER_SIDE, io());
  await client.createInstallRequest();
  // A participant keeps data that deduplication may still need, so pruning succeeds only after the deduplication
  // window.
  await vi.waitFor(() => {
    client.localnet.ledger.participants['app-user'].prune(forgotten);
  }, PATIENCE_MS);

  const stream = client.streams.completions(USER_SIDE, 0n, AbortSignal.timeout(PATIENCE_MS));
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    name: 'StreamEnded',
    code: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
    retry: 'person',
    earliestOffset: expect.any(BigInt) as bigint,
  });
  const request = await client.request(client.user, client.installRequest());
  expect(await client.complete(request)).toMatchObject({
    updateId: null,
    answer: { class: 'unknown', code: 'INVALID_DEDUPLICATION_PERIOD' },
  });
});

test('a token that the participant does not accept is replaced on the way', async () => {
  let rejected = 0;
  await using client = await LedgerClient.open({}, (tokens) => ({
    current: async (bounds) =>
      rejected === 0 ? { kind: 'token', token: 'not.a.token' } : tokens.current(bounds),
    renew: async (_rejected, bounds) => {
      rejected += 1;
      return tokens.current(bounds);
    },
  }));
  expect(rejected).toBeGreaterThan(0);
  expect((await client.createInstallRequest()).payload).toMatchObject({ user: client.user });
});
