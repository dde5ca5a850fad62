import { expect, test } from 'vitest';
import type { ContractView } from '../../src/app/ports/views.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { ContractId, LifecycleId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import type { CreatedEvent, LedgerEvent, TemplateName } from '../../src/domain/ledger.ts';
import { templateFqn } from '../../src/domain/ledger.ts';
import {
  ALLOCATION,
  APP_INSTALL,
  LICENSE_COMMENT,
  LICENSE_RENEWAL_REQUEST,
} from '../../src/domain/licensing.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import {
  OTHER_USER,
  PROVIDER,
  USER,
  birth,
  change,
  created,
  exercised,
  io,
  lifecycle,
  newContractId,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { allOf } from './all-of.ts';
import { arrive, read, save } from './store-under-test.ts';

const AMULET_ALLOCATION: TemplateName = {
  packageName: 'splice-amulet',
  moduleName: 'Splice.AmuletAllocation',
  entityName: 'AmuletAllocation',
};

/** Returns a ledger that applies one transaction after another to the store. */
export function ledgerOf(store: Store, readAs: readonly Party[] = [PROVIDER]) {
  let offset = 0n;
  return {
    async apply(
      events: readonly LedgerEvent[],
      born: readonly Lifecycle[] = [],
      effectiveAt?: string,
    ): Promise<bigint> {
      offset += 1n;
      const numbered = events.map((event, nodeId) => ({
        ...event,
        nodeId,
        ...(event.kind === 'exercised' ? { lastDescendantNodeId: nodeId } : {}),
      }));
      const at = effectiveAt === undefined ? {} : { effectiveAt };
      await store.transact(io(), async (tx) => {
        await tx.insertUpdates([transaction(offset, numbered, at)], readAs);
        await tx.save(
          writes({ lifecycles: born, lineage: born.flatMap((of) => birth(of).lineage ?? []) }),
        );
      });
      return offset;
    },
  };
}

const allocationView = (requestId: string, sender: Party): JsonRecord => ({
  allocation: {
    settlement: { settlementRef: { id: requestId } },
    transferLeg: { sender, amount: '1.0000000000' },
  },
});

/** An allocation that is visible only through its interface. */
const allocation = (
  requestId: string,
  sender: Party = USER,
  contractId = newContractId(),
): CreatedEvent => ({
  ...created(lifecycle({ contractId })),
  template: AMULET_ALLOCATION,
  payload: null,
  views: [
    { interface: ALLOCATION, packageId: 'q'.repeat(64), value: allocationView(requestId, sender) },
  ],
  signatories: [sender],
  observers: [PROVIDER],
});

export const renewal = (licenseNum: bigint, over: Partial<Lifecycle> = {}): Lifecycle =>
  lifecycle({ kind: 'renewal', state: 'requested', licenseNum, ...over });

export const requested = (of: Lifecycle, requestId: string, requestedAt: string): CreatedEvent =>
  created(of, { payload: { requestId, requestedAt, licenseNum: String(of.licenseNum) } });

export const comment = (
  text: string,
  createdAt: string,
  { user = USER, licenseNum = '1', contractId = newContractId() } = {},
): CreatedEvent => ({
  ...created(lifecycle({ contractId })),
  template: LICENSE_COMMENT,
  payload: { provider: PROVIDER, user, licenseNum, createdAt, body: text },
});

export const licenseId = trusted<LifecycleId>('license-1');

const bodies = (views: readonly ContractView[]): string[] =>
  views.map(({ payload }) => payload['body'] as string);

const template = (fqn: string) => ({ fqn, kind: 'template' }) as const;

export function projectionCases(makeStore: MakeStore): void {
  test('types are followed once and for all', async () => {
    await using under = await makeStore();
    const followed = () => read(under.store, (tx) => tx.followedTypes());
    expect(await followed()).toEqual(new Set());
    await under.store.transact(io(), async (tx) => {
      await tx.followTypes([template('p:M:A'), template('p:M:B')]);
      expect(await tx.followedTypes()).toEqual(new Set(['p:M:A', 'p:M:B']));
    });
    await under.store.transact(io(), (tx) =>
      tx.followTypes([template('p:M:B'), template('p:M:C'), template('p:M:C')]),
    );
    expect(await followed()).toEqual(new Set(['p:M:A', 'p:M:B', 'p:M:C']));
  });

  test('a contract is shown as its template has it, else as an interface does, ended or not', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const of = lifecycle();
    const view = { interface: ALLOCATION, packageId: 'q'.repeat(64), value: { view: 1 } };
    const offset = await ledger.apply([created(of, { views: [view] })]);
    const expected: ContractView = {
      contractId: of.contractId,
      templateFqn: templateFqn(APP_INSTALL),
      packageId: 'p'.repeat(64),
      payload: created(of).payload ?? {},
      signatories: [PROVIDER],
      observers: [USER],
      createdAt: '2026-01-01T00:00:00.000001Z',
      createdAtOffset: offset,
      archived: null,
      originId: null,
    };
    const shown = (id: ContractId) => under.store.reads.contract(id, io());
    expect(await shown(of.contractId)).toEqual(expected);
    const ended = await ledger.apply([exercised(of.contractId, APP_INSTALL)]);
    const archived = { at: '2026-01-01T00:00:00.000001Z', offset: ended };
    expect(await shown(of.contractId)).toEqual({ ...expected, archived });
    const bare = allocation('request-1');
    const at = await ledger.apply([bare, exercised(bare.contractId, AMULET_ALLOCATION)]);
    expect(await shown(bare.contractId)).toMatchObject({
      templateFqn: templateFqn(ALLOCATION),
      packageId: 'q'.repeat(64),
      payload: allocationView('request-1', USER),
      archived: { offset: at },
    });
    await ledger.apply([exercised(newContractId(), APP_INSTALL, { consuming: true })]);
    expect(await shown(newContractId())).toBeNull();
  });

  test('an update has created a contract once, however many interfaces show it', async () => {
    await using under = await makeStore();
    const view = { interface: ALLOCATION, packageId: 'q'.repeat(64), value: { view: 1 } };
    const of = lifecycle();
    const bare = allocation('request-1');
    const offset = await ledgerOf(under.store).apply([created(of, { views: [view] }), bare]);
    const update = transaction(offset, []).updateId;
    const applied = await read(under.store, (tx) => tx.appliedUpdate(update));
    const { contractId } = of;
    const { payload, signatories } = created(of);
    expect(applied?.created).toEqual([
      { contractId, templateFqn: templateFqn(APP_INSTALL), payload, signatories },
    ]);
  });

  test('a choice that consumes nothing ends nothing', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const of = lifecycle();
    await ledger.apply([created(of)]);
    await ledger.apply([exercised(of.contractId, APP_INSTALL, { consuming: false })]);
    expect((await under.store.reads.contract(of.contractId, io()))?.archived).toBeNull();
  });

  test('a licence is shown with its open renewals, and they with the allocations that name them', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const license = lifecycle({ kind: 'license', licenseNum: 3n });
    const [older, newer] = [renewal(3n, { originId: license.id }), renewal(3n)];
    const strangers = [
      renewal(4n),
      renewal(3n, { appUser: OTHER_USER }),
      renewal(3n, { originId: lifecycle({ kind: 'license' }).id }),
    ];
    const over = renewal(3n, { endedAt: '2026-01-02T00:00:00.001Z' });
    await ledger.apply(
      [
        created(license),
        requested(newer, 'request-2', '2026-01-01T00:00:00.000002Z'),
        requested(older, 'request-1', '2026-01-01T00:00:00.000001Z'),
        ...[...strangers, over].map((of) => requested(of, 'request-3', '2026-01-01T00:00:00Z')),
      ],
      [license, older, newer, over, ...strangers],
    );
    const [first, second, spent] = [1, 2, 3].map(() => allocation('request-1'));
    const others = [allocation('request-1', OTHER_USER), allocation('request-9')];
    await ledger.apply([first!, ...others]);
    await ledger.apply([second!, spent!]);
    await ledger.apply([exercised(spent!.contractId, AMULET_ALLOCATION)]);
    const shown = await under.store.reads.lifecycle(license.id, io());
    expect(shown?.renewals.map((view) => view.lifecycle)).toEqual([older, newer]);
    expect(shown?.renewals.map((view) => view.payload['requestId'])).toEqual([
      'request-1',
      'request-2',
    ]);
    const allocations = [second!, first!].map(({ contractId }) => ({
      contractId,
      view: allocationView('request-1', USER),
      isActive: true,
    }));
    expect(shown?.renewals.map((view) => view.allocations)).toEqual([allocations, []]);
    expect(shown?.allocations).toEqual([]);
    const [listed] = await under.store.reads.list({ kind: 'license', party: USER, limit: 2 }, io());
    expect(listed).toEqual(shown);
    const alone = await under.store.reads.lifecycle(older.id, io());
    expect(alone).toMatchObject({ lifecycle: older, renewals: [], allocations });
  });

  test('of many allocations the newest few are shown', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const of = renewal(1n);
    const many = Array.from({ length: STORE_LIMITS.allocationsMax + 3 }, () => allocation('r'));
    await ledger.apply([requested(of, 'r', '2026-01-01T00:00:00Z'), ...many], [of]);
    const shown = await under.store.reads.lifecycle(of.id, io());
    expect(shown?.allocations.map(({ contractId }) => contractId)).toEqual(
      many
        .toReversed()
        .slice(0, STORE_LIMITS.allocationsMax)
        .map(({ contractId }) => contractId),
    );
  });

  test('a settlement has two sides, each known or not', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const of = renewal(1n);
    const money = allocation('request-1');
    const settlement = (request: ContractId, allocated: ContractId) =>
      read(under.store, (tx) => tx.settlement({ renewal: request, allocation: allocated }));
    expect(await settlement(of.contractId, money.contractId)).toEqual({
      renewal: null,
      allocation: null,
    });
    const request = requested(of, 'request-1', '2026-01-01T00:00:00Z');
    await ledger.apply([request, money]);
    const view = allocationView('request-1', USER);
    const found = { contractId: money.contractId, view, isActive: true };
    expect(await settlement(of.contractId, money.contractId)).toEqual({
      renewal: request.payload,
      allocation: found,
    });
    // A contract that is not an allocation is ignored.
    expect(await settlement(money.contractId, of.contractId)).toEqual({
      renewal: null,
      allocation: null,
    });
    await ledger.apply([
      exercised(money.contractId, AMULET_ALLOCATION),
      exercised(of.contractId, LICENSE_RENEWAL_REQUEST),
    ]);
    expect(await settlement(of.contractId, money.contractId)).toEqual({
      renewal: request.payload,
      allocation: { ...found, isActive: false },
    });
  });

  test('what no reader has a stake in is known and never active', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const foreign = { ...allocation('request-1'), signatories: [OTHER_USER], observers: [] };
    const said = { ...comment('said', '2026-01-01T00:00:00Z'), signatories: [OTHER_USER] };
    await ledger.apply([foreign, { ...said, observers: [] }]);
    const sides = { renewal: newContractId(), allocation: foreign.contractId };
    const { allocation: found } = await read(under.store, (tx) => tx.settlement(sides));
    expect(found).toMatchObject({ isActive: false });
    expect(await under.store.reads.contract(said.contractId, io())).not.toBeNull();
    const asked = { licenseId, provider: PROVIDER, appUser: USER, licenseNum: 1n };
    expect(await under.store.reads.comments({ ...asked, limit: 9 }, io())).toEqual([]);
    const span = { from: '2025-01-01T00:00:00Z', until: null };
    expect(await allOf(under.store.reads.commentsMade({ ...asked, ...span }, io()))).toEqual([]);
  });

  test('comments come in the order of the times that they name, page by page', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const [low, high] = [newContractId(), newContractId()].toSorted() as [ContractId, ContractId];
    const gone = comment('gone', '2026-01-01T00:00:00.1Z');
    await ledger.apply([
      comment('third', '2026-01-01T00:00:00.5Z', { contractId: high }),
      comment('second', '2026-01-01T00:00:00.5Z', { contractId: low }),
      comment('first', '2026-01-01T00:00:00Z'),
      comment('fourth', '2026-01-01T00:00:01.000001Z'),
      comment('of another user', '2026-01-01T00:00:00Z', { user: OTHER_USER }),
      comment('of another licence', '2026-01-01T00:00:00Z', { licenseNum: '10' }),
      gone,
    ]);
    await ledger.apply([exercised(gone.contractId, LICENSE_COMMENT)]);
    const asked = { licenseId, provider: PROVIDER, appUser: USER, licenseNum: 1n };
    const keyOf = ({ payload, contractId }: ContractView) => ({
      createdAt: textAt(payload, 'createdAt') ?? '',
      contractId,
    });
    const page = (limit: number, last?: ContractView) => {
      const position = last === undefined ? {} : { after: keyOf(last) };
      return under.store.reads.comments({ ...asked, limit, ...position }, io());
    };
    const all = await page(9);
    expect(bodies(all)).toEqual(['first', 'second', 'third', 'fourth']);
    expect(await page(2)).toEqual(all.slice(0, 2));
    expect(await page(2, all[1])).toEqual(all.slice(2));
    expect(await page(2, all[3])).toEqual([]);
  });

  test('contracts of a party come in the order of their creation, from either side, page by page', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const at = '2026-01-01T00:00:00Z';
    const self = { user: PROVIDER };
    const gone = comment('gone', at);
    await ledger.apply([
      comment('first', at),
      gone,
      comment('of others', at, { user: OTHER_USER }),
    ]);
    await ledger.apply([
      comment('to itself', at, self),
      exercised(gone.contractId, LICENSE_COMMENT),
    ]);
    const unseen = { ...comment('unseen', at), signatories: [OTHER_USER], observers: [] };
    await ledger.apply([comment('last', at), unseen]);
    const asked = { templateFqn: templateFqn(LICENSE_COMMENT), limit: 9 };
    const of = (party: Party, more: object = {}) =>
      under.store.reads.contractsOfParty({ ...asked, party, ...more }, io());
    const all = await of(PROVIDER);
    expect(bodies(all).toSorted()).toEqual(['first', 'last', 'of others', 'to itself']);
    expect(bodies(all).slice(2)).toEqual(['to itself', 'last']);
    expect(bodies(await of(USER))).toEqual(['first', 'last']);
    expect(await of(PROVIDER, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await of(PROVIDER, { limit: 2, after: all[1] })).toEqual(all.slice(2));
    expect(await of(PROVIDER, { after: all[3] })).toEqual([]);
    expect(bodies(await of(PROVIDER, { appUser: OTHER_USER }))).toEqual(['of others']);
    expect(await of(USER, { provider: USER })).toEqual([]);
    const ids = [...all.map(({ contractId }) => contractId), gone.contractId];
    const found = await under.store.reads.activeContracts(ids, io());
    expect(bodies(found).toSorted()).toEqual(bodies(all).toSorted());
  });

  test('comments that were made within a span of ledger time include those that are gone', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const at = (micros: number) => `2026-01-01T00:00:00.00000${micros}Z`;
    // The times in the comments' texts do not matter in this test.
    const made = ['a', 'b', 'c', 'd'].map((text) => comment(text, '2026-05-05T00:00:00Z'));
    for (const [index, one] of made.entries()) await ledger.apply([one], [], at(index + 1));
    await ledger.apply([exercised(made[1]!.contractId, LICENSE_COMMENT)], [], at(9));
    const asked = { licenseId, provider: PROVIDER, appUser: USER, licenseNum: 1n };
    const within = async (from: string, until: string | null) =>
      bodies(await allOf(under.store.reads.commentsMade({ ...asked, from, until }, io())));
    expect(await within(at(2), at(3))).toEqual(['b', 'c']);
    expect(await within(at(2), null)).toEqual(['b', 'c', 'd']);
    expect(await within(at(5), null)).toEqual([]);
  });

  test('an update leads to the open changes that it carries', async () => {
    await using under = await makeStore();
    const [open, over] = [change(), change()];
    for (const one of [open, over]) await arrive(under.store, one);
    await save(under.store, { changes: [succeeded(over)] });
    const carried = [open.id, over.id, change().id];
    const found = await read(under.store, (tx) =>
      tx.lanesOf({ contracts: [], submissions: [], updates: [], carried }),
    );
    expect(found.waiting).toEqual([{ changeId: open.id, lane: open.lane }]);
  });
}
