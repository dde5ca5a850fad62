import { expect, test } from 'vitest';
import type { LifecycleId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { CreatedEvent } from '../../src/domain/ledger.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { PROVIDER, USER, created, io, lifecycle } from './store-rows.ts';
import { comment, ledgerOf, licenseId, renewal, requested } from './store-suite-projection.ts';
import type { MakeStore } from './store-under-test.ts';
import { allOf } from './all-of.ts';
import { save } from './store-under-test.ts';

/* The licence to which renewals and comments belong: tests for every store. */

export function originCases(makeStore: MakeStore): void {
  test('of many renewals those are shown whose windows close last', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const license = lifecycle({ kind: 'license', licenseNum: 3n });
    const many = Array.from({ length: LIMITS.renewalsShownMax + 5 }, (_, n) =>
      renewal(3n, {
        originId: license.id,
        context: { settleBefore: new Date(Date.UTC(2026, 0, 1) + n).toISOString() },
      }),
    );
    await ledger.apply(
      [license, ...many].map((of) =>
        of === license ? created(of) : requested(of, 'request-1', '2026-01-01T00:00:00Z'),
      ),
      [license, ...many],
    );
    const shown = await under.store.reads.lifecycle(license.id, io());
    const found = shown?.renewals.map((view) => view.lifecycle.id).toSorted();
    expect(found).toEqual(
      many
        .slice(5)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test('a comment of an operation is of one licence, that of another client of each with the number', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const [ours, theirs] = ['ours', 'theirs'].map((text, n) =>
      comment(text, `2026-01-01T00:00:0${n}Z`),
    ) as [CreatedEvent, CreatedEvent];
    await ledger.apply([ours, theirs]);
    await save(under.store, { origins: [{ contractId: ours.contractId, lifecycleId: licenseId }] });
    // Once an origin has been saved, it does not change.
    const another = trusted<LifecycleId>('license-2');
    await save(under.store, { origins: [{ contractId: ours.contractId, lifecycleId: another }] });
    for (const [id, expected] of [
      [licenseId, [licenseId, null]],
      [another, [null]],
    ] as const) {
      const of = { licenseId: id, provider: PROVIDER, appUser: USER, licenseNum: 1n };
      const found = await under.store.reads.comments({ ...of, limit: 9 }, io());
      expect(found.map(({ originId }) => originId)).toEqual(expected);
      const span = { from: '2025-01-01T00:00:00Z', until: null };
      expect(await allOf(under.store.reads.commentsMade({ ...of, ...span }, io()))).toHaveLength(
        expected.length,
      );
    }
  });
}
