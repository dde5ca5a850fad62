import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { InspectOptions } from '../../src/doctor/inspect.ts';
import { inspect } from '../../src/doctor/inspect.ts';
import { withSnapshot } from '../../src/store/evidence/snapshot.ts';
import { OWNERSHIP, fillLongInstall, ledgerOfLongInstall } from '../kit/long-install.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { forFile } from '../kit/for-file.ts';
import { DOCTOR_LIMITS } from '../../src/doctor/limits.ts';

/*
 * A store that needs several pages of the inspection. The inspection must find every violation, wherever a page ends.
 */

const COUNT = 450;
const under = await forFile(postgresStore());
await fillLongInstall(under.pool, COUNT);

const look = (over: Partial<InspectOptions> = {}, ledger = ledgerOfLongInstall(COUNT)) => {
  const { signal } = new AbortController();
  return withSnapshot(under.pool, signal, (snapshot) =>
    inspect(snapshot, ledger, OWNERSHIP, { deep: true, signal, ...over }),
  );
};

async function told(plant: string, undo: string): Promise<string[]> {
  await under.pool.query(plant);
  try {
    return (await look()).violations.map(({ invariant, what }) => `${invariant}: ${what}`);
  } finally {
    await under.pool.query(undo);
  }
}

test('all of it is looked at, and nothing is found where nothing is wrong', async () => {
  const { violations, looked, notes, isTruncated } = await look();
  expect({ violations, notes, isTruncated }).toEqual({
    violations: [],
    notes: [],
    isTruncated: false,
  });
  expect(Object.fromEntries(looked)).toEqual({
    changes: COUNT,
    lifecycles: 1,
    updates: COUNT,
    completions: COUNT,
    'active contracts': 1,
  });
});

test('a database that goes away while it is looked at is told to who looks', async () => {
  const { signal } = new AbortController();
  const looking = withSnapshot(under.pool, signal, async (snapshot) => {
    await snapshot.head();
    // The connection breaks between two statements, at a moment when no statement waits for its answer.
    const { rowCount } = await under.pool.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    expect(rowCount).toBe(1);
    await setImmediate();
    return snapshot.head();
  });
  await expect(looking).rejects.toThrow(/connection|terminat/iu);
  expect((await look()).violations).toEqual([]);
});

test('order is seen where one page ends and the next begins', async () => {
  // A statement that exchanges the 200th and the 201st change of the lane, which are on different pages.
  const swap = `update change set mailbox_no = 401 - mailbox_no where mailbox_no in (200, 201)`;
  expect(await told(swap, swap)).toEqual([
    expect.stringMatching(
      /^I8: create-license command-200 is number 201 .* before number 200, command-201, at 613$/u,
    ),
  ]);
});

test('a hole in a long history is seen, also between two parts of it', async () => {
  for (const seq of [1_000, 1_001, 1_200]) {
    const keep = `create table kept as select * from history where seq = ${seq}; delete from history where seq = ${seq}`;
    const undo = 'insert into history select * from kept; drop table kept';
    expect(await told(keep, undo)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^I11: lifecycle install-0+ has no audit row between versions ${seq - 1} and ${seq + 1}$`,
          'u',
        ),
      ),
    );
  }
});

test('gaps and surplus rows are seen in any window', async () => {
  const keep = `create table kept as select * from ledger_update where update_id in ('update-200', 'update-201', 'update-450');
    delete from ledger_update where update_id in ('update-200', 'update-201', 'update-450')`;
  const gaps = await told(keep, 'insert into ledger_update select * from kept; drop table kept');
  expect(gaps.filter((line) => line.startsWith('I7'))).toEqual(
    [200, 201, 450].map((i) =>
      expect.stringContaining(`the query store has no row of update update-${i} at`),
    ),
  );
  const surplus = await look({}, ledgerOfLongInstall(COUNT - 1));
  expect(surplus.violations.map(({ invariant }) => invariant)).toContain('I7');
});

test('an effect that a later window tells of is held against the change of an earlier one', async () => {
  const second = `update ledger_update set workflow_id = (select workflow_id from ledger_update where update_id = 'update-1') where update_id = 'update-440'`;
  const undo = `update ledger_update set workflow_id = 'tenure-' || (select id from change where command_id = 'command-440') where update_id = 'update-440'`;
  expect(await told(second, undo)).toContainEqual(
    'I4: create-license command-1 took effect 2 times, by updates update-1 and update-440',
  );
});

test('what is before an offset, or was pruned, is left out, and what was pruned is said', async () => {
  const { looked } = await look({ since: 10n + 3n * 400n });
  expect(looked.get('updates')).toBe(50);
  const whole = ledgerOfLongInstall(COUNT);
  const earliestOffset = 10n + 3n * 300n;
  const pruned = {
    ...whole,
    updates: (after: bigint, upTo: bigint, signal: AbortSignal) => {
      if (after >= earliestOffset) return whole.updates(after, upTo, signal);
      throw Object.assign(new Error('pruned'), { earliestOffset });
    },
    async *completions(...asked: Parameters<typeof whole.completions>) {
      const [, after] = asked;
      if (after < earliestOffset) throw Object.assign(new Error('pruned'), { earliestOffset });
      for await (const one of whole.completions(...asked)) if (one.offset > after) yield one;
    },
  };
  const found = await look({}, pruned);
  expect(found).toMatchObject({
    violations: [],
    notes: [
      'the participant has pruned the updates up to offset 910: older data was not compared',
      'participant app-provider has pruned the completions up to offset 910: older data was not compared',
    ],
  });
  expect(found.looked.get('updates')).toBe(150);
  expect(found.looked.get('completions')).toBe(150);
});

test('a store that has nothing to do with its ledger gives a bounded list', async () => {
  const { violations, isTruncated } = await look({}, ledgerOfLongInstall(0));
  expect([violations.length, isTruncated]).toEqual([DOCTOR_LIMITS.violationsMax, true]);
});
