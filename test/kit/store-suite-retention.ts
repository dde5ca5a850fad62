import { expect, test } from 'vitest';
import { SCHEDULER_LEASE, EVENTS_LEASE, PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ContractId, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import {
  PROVIDER,
  answer,
  arrival,
  birth,
  change,
  created,
  effectId,
  exercised,
  io,
  lifecycle,
  newContractId,
  rejected,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, read, save } from './store-under-test.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const ANY = { olderThanMs: 0, limit: 100 };

const clock = async ({ leases }: StoreUnderTest): Promise<bigint> =>
  (await leases.acquire(SCHEDULER_LEASE, 'a clock', 60_000, io())) ?? 0n;

/** Creates a change that was tried once and has ended. */
async function tried(
  under: StoreUnderTest,
  end: (before: Change) => Change,
  verdict: 'accepted' | 'refused' | null,
): Promise<Change> {
  const before = change();
  await arrive(under.store, before);
  await dispatchAll(under.outbox);
  const submissionId = trusted<SubmissionId>(`try-${before.id}`);
  await under.outbox.startAttempt(effectId(before), 1, submissionId, io());
  const after = end(before);
  const told = verdict === null ? [] : [{ submissionId, answer: answer(verdict) }];
  await save(under.store, { changes: [after], effectsDone: [after.id], attempts: told });
  return after;
}

const attemptsOf = ({ store }: StoreUnderTest, { id }: Change): Promise<number> =>
  read(store, async (tx) => (await tx.attemptsOf(id)).length);

const bodyOf = async ({ store }: StoreUnderTest, { id }: Change) =>
  (await store.reads.changesById([id], io()))[0]?.body;

/** Creates an install whose contract is replaced by each update, at offsets 1, 2 and 3. */
async function replaced({ store, leases }: StoreUnderTest): Promise<readonly ContractId[]> {
  const first = lifecycle();
  const ids = [first.contractId, newContractId(), newContractId()];
  const epoch = (await leases.acquire(PROJECTOR_LEASE, 'a projector', 60_000, io())) ?? 0n;
  const recordTime = '2026-01-05T00:00:00Z';
  const start = { stream: UPDATES_STREAM, from: 0n, to: 0n, recordTime: null };
  await store.transact(io(), (tx) => tx.startCursor(start, epoch));
  await store.transact(io(), async (tx) => {
    await tx.insertUpdates(
      ids.map((contractId, place) =>
        transaction(
          BigInt(place + 1),
          [
            ...(place === 0 ? [] : [exercised(ids[place - 1]!, APP_INSTALL)]),
            created(first, { contractId, nodeId: 1 }),
          ],
          { effectiveAt: `2026-01-0${place + 1}T00:00:00Z` },
        ),
      ),
      [PROVIDER],
    );
    await tx.save(writes(birth({ ...first, contractId: ids[2]! })));
    await tx.moveCursors([{ ...start, to: 3n, recordTime }], epoch);
  });
  return ids;
}

/** Deletion of old rows, of which only those of finished changes are deleted: tests for every store. */
export function retentionCases(makeStore: MakeStore): void {
  test('of what has ended there stays what it was and what it came to', async () => {
    await using under = await makeStore();
    const done = await tried(under, succeeded, 'accepted');
    const failed = await tried(under, rejected, 'refused');
    const open = change();
    await arrive(under.store, open);
    const epoch = await clock(under);
    expect(await under.retention.changes(ANY, epoch - 1n, io())).toBeNull();
    expect(await under.retention.changes({ ...ANY, olderThanMs: 1e12 }, epoch, io())).toBe(0);
    expect(await attemptsOf(under, done)).toBe(1);
    expect(await under.retention.changes(ANY, epoch, io())).toBe(2);
    expect(await under.retention.changes(ANY, epoch, io())).toBe(0);
    expect([await attemptsOf(under, done), await attemptsOf(under, failed)]).toEqual([0, 0]);
    expect(await bodyOf(under, done)).toEqual({});
    expect(await bodyOf(under, failed)).toEqual(failed.body);
    expect(await bodyOf(under, open)).toEqual(open.body);
    expect((await dispatchAll(under.outbox)).map(({ id }) => id)).toEqual([effectId(open)]);
  });

  test('a refusal of which an attempt is undecided, or was accepted, keeps what stands in the way of another try', async () => {
    await using under = await makeStore();
    const failed = await tried(under, rejected, null);
    // One attempt of this rejected change was accepted, which was discovered after the change had ended.
    const wrong = await tried(under, rejected, 'accepted');
    const done = await tried(under, succeeded, null);
    expect(await under.retention.changes(ANY, await clock(under), io())).toBe(1);
    const kept = [failed, wrong, done].map((one) => attemptsOf(under, one));
    expect(await Promise.all(kept)).toEqual([1, 1, 0]);
  });

  test('events go from the smallest number on', async () => {
    await using under = await makeStore();
    const event = {
      type: 'tenure.operation.succeeded',
      subject: 'x',
      lifecycleId: null,
      parties: [PROVIDER],
      data: {},
    } as const;
    await under.webhooks.add(
      {
        id: 'a',
        party: PROVIDER,
        createdBy: 'olga',
        url: 'https://a.example.org/in',
        types: [],
        secret: 'whsec_a',
        tenantId: null,
      },
      io(),
    );
    // The creation of the webhook is itself the first event.
    for (const one of [event, event]) await save(under.store, { events: [one] });
    const sequencer = (await under.leases.acquire(EVENTS_LEASE, 'one', 60_000, io())) ?? 0n;
    await under.events.number(10, sequencer, io());
    const epoch = await clock(under);
    // An event that has not been passed to the webhooks yet is not deleted, however old it is.
    expect(await under.retention.events({ olderThanMs: -DAY_MS, limit: 2 }, epoch, io())).toBe(0);
    await under.deliveries.fanOut('https://tenure', sequencer, io());
    expect(await under.retention.events({ ...ANY, olderThanMs: DAY_MS }, epoch, io())).toBe(0);
    const soon = { olderThanMs: -DAY_MS, limit: 2 };
    expect(await under.retention.events(soon, epoch - 1n, io())).toBeNull();
    expect(await under.retention.events(soon, epoch, io())).toBe(2);
    expect(await under.events.span(io())).toEqual({ oldest: 3n, last: 3n });
  });

  test('the projection ends where it is old and nothing open needs it', async () => {
    await using under = await makeStore();
    const { retention, store } = under;
    await replaced(under);
    expect(await retention.cut(100 * DAY_MS, io())).toBeNull();
    expect(await retention.cut(2.5 * DAY_MS, io())).toBe(2n);
    const open = change({ deduplicationOffset: 1n });
    await save(store, { ...arrival(open), changes: [open] });
    expect(await retention.cut(2.5 * DAY_MS, io())).toBe(1n);
    // The offsets of another participant are irrelevant for these changes.
    const submitter = { ...open.submitter, participant: trusted<'app-user'>('app-user') };
    const other = change({ submitter: { ...submitter, participant: trusted('app-user') } });
    await save(store, { ...arrival(other), changes: [other] });
    expect(await retention.cut(2.5 * DAY_MS, io())).toBeNull();
  });

  test('what ended before that goes, but for what something is shown by', async () => {
    await using under = await makeStore();
    const { retention, store } = under;
    const [first, second, third] = await replaced(under);
    const epoch = await clock(under);
    expect(await retention.beginAt(3n, epoch - 1n, io())).toBe(false);
    expect(await retention.beginAt(3n, epoch, io())).toBe(true);
    expect(await retention.beginAt(2n, epoch, io())).toBe(false);
    const batch = { cut: 3n, after: -1n, limit: 1 };
    expect(await retention.archived('contracts', batch, epoch - 1n, io())).toBeNull();
    expect(await retention.archived('contracts', batch, epoch, io())).toEqual({
      pruned: 2,
      at: 3n,
    });
    const last = await retention.archived('contracts', { ...batch, after: 3n }, epoch, io());
    expect(last).toEqual({ pruned: 0, at: null });
    const views = await Promise.all(
      [first!, second!, third!].map((id) => store.reads.contract(id, io())),
    );
    expect(views.map((view) => view !== null)).toEqual([false, false, true]);
    const walk = { cut: 3n, after: -1n, limit: 100 };
    expect(await retention.archived('updates', walk, epoch, io())).toEqual({ pruned: 2, at: 3n });
  });
}
