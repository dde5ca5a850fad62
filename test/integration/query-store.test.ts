import { Client } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { columnTypes } from '../../src/store/sql/column-types.ts';
import { forFile } from '../kit/for-file.ts';
import { INSTALL, LICENSE, NOTE, REQUEST, storeWithHistory } from './query-store-rows.ts';

/* The SQL functions of the query store, as its readers call them. They read the history of `storeWithHistory`. */

const store = await forFile(storeWithHistory());
beforeEach(() => store.rows('select set_latest(null), set_oldest(null)'));

describe('active', () => {
  test('has what was created and not archived at the latest offset, interface views included', async () => {
    expect(await store.column('select contract_id || template_fqn from active()')).toEqual([
      `ins-1${INSTALL}`,
      `lic-2${LICENSE}`,
      `lic-2${REQUEST}`,
    ]);
  });

  test.each([
    [9, []],
    [10, ['lic-1']],
    [11, ['lic-1', 'lic-2']],
    [12, ['lic-1', 'lic-2']],
    [13, ['lic-2']],
    [20, ['lic-2']],
  ])('at offset %i has the licences of that moment', async (offset, expected) => {
    expect(await store.column(`select contract_id from active('License', $1)`, offset)).toEqual(
      expected,
    );
  });

  test('never has a contract that is known by divulgence only', async () => {
    for (const offset of [14, 15, 20]) {
      expect(await store.column('select contract_id from active($1, $2)', INSTALL, offset)).toEqual(
        ['ins-1'],
      );
    }
  });

  test('never has a contract that ended in the transaction that created it', async () => {
    for (const offset of [14, 15, 16]) {
      expect(await store.column(`select contract_id from active('Note', $1)`, offset)).toEqual([]);
    }
  });

  test('tells everything about a contract', async () => {
    expect(
      await store.rows(`select * from active('License') where payload ->> 'user' = 'u2'`),
    ).toEqual([
      {
        template_fqn: LICENSE,
        payload_type: 'template',
        create_event_id: '(11,0)',
        created_at_ix: 11n,
        created_at_offset: 11n,
        archive_event_id: null,
        archived_at_ix: null,
        archived_at_offset: null,
        life_ix: '[11,)',
        contract_id: 'lic-2',
        payload: { provider: 'p1', user: 'u2' },
        metadata: null,
        created_effective_at: '2026-01-01T00:11:00Z',
        archived_effective_at: null,
        package_name: 'licensing',
        package_id: 'pkg',
        signatories: ['p1'],
        observers: ['u1', 'p1'],
        witnesses: ['p1'],
        divulged_only: false,
      },
    ]);
  });

  test('tells when a contract that was active then has been archived since', async () => {
    expect(
      await store.rows(`select archived_at_offset, archived_effective_at, archive_event_id, life_ix from active('License', 12)
                  where contract_id = 'lic-1'`),
    ).toEqual([
      {
        archived_at_offset: 13n,
        archived_effective_at: '2026-01-01T00:13:00Z',
        archive_event_id: '(13,1)',
        life_ix: '[10,13)',
      },
    ]);
  });

  test('stakeholders are named once each', async () => {
    expect(await store.value(`select stakeholders(a) from active('Install') a`)).toEqual([
      'p1',
      'u1',
    ]);
  });

  test('joins with the metadata of its update', async () => {
    expect(
      await store.column(
        `select t.transaction_id from active('License') a join transactions t on t.ix = a.created_at_ix
         where a.create_event_id = (11::bigint, 0)`,
      ),
    ).toEqual(['update-11']);
  });
});

describe('ranges', () => {
  test('creates, archives and exercises include both ends', async () => {
    expect(await store.column('select contract_id from creates(null, 10, 12)')).toEqual([
      'ins-1',
      'lic-1',
      'lic-2',
      'lic-2',
    ]);
    expect(await store.column('select contract_id from creates(null, 11, 11)')).toEqual([
      'lic-2',
      'lic-2',
    ]);
    expect(await store.column('select contract_id from archives(null, 13, 15)')).toEqual([
      'lic-1',
      'note-1',
    ]);
    expect(await store.column('select contract_id from archives(null, 14, 14)')).toEqual([]);
    expect(await store.column('select contract_id from exercises(null, 13, 15)')).toEqual([
      'lic-1',
      'note-1',
    ]);
  });

  test('without a range are the whole of history', async () => {
    expect(await store.column(`select contract_id from creates('Install')`)).toEqual([
      'ins-1',
      'ins-x',
    ]);
    expect(await store.column('select contract_id from archives()')).toEqual(['lic-1', 'note-1']);
    expect(await store.column('select choice from exercises()')).toEqual([
      'Archive',
      'Archive',
      'License_Expire',
    ]);
  });

  test('tells everything about an exercise', async () => {
    expect(await store.rows(`select * from exercises('License_Expire')`)).toEqual([
      {
        template_fqn: LICENSE,
        payload_type: 'template',
        choice_fqn: `${LICENSE}:License_Expire`,
        choice: 'License_Expire',
        consuming: true,
        exercise_event_id: '(13,0)',
        exercised_at_ix: 13n,
        exercised_at_offset: 13n,
        exercised_effective_at: '2026-01-01T00:13:00Z',
        contract_id: 'lic-1',
        argument: { reason: 'over' },
        result: {},
        package_name: 'licensing',
        controllers: ['p1'],
        witnesses: ['p1'],
        last_descendant_node_id: 2,
      },
    ]);
  });
});

describe('lookups', () => {
  test('find a contract with its views, also when it has been archived or only divulged', async () => {
    expect(await store.column(`select template_fqn from lookup_contract('lic-2')`)).toEqual([
      LICENSE,
      REQUEST,
    ]);
    expect(
      await store.column(`select payload_type from lookup_contract('lic-2', 'AllocationRequest')`),
    ).toEqual(['interface']);
    expect(await store.column(`select archived_at_offset from lookup_contract('lic-1')`)).toEqual([
      13n,
    ]);
    expect(await store.column(`select divulged_only from lookup_contract('ins-x')`)).toEqual([
      true,
    ]);
    expect(await store.column(`select contract_id from lookup_contract('nothing')`)).toEqual([]);
  });

  test('find the exercises of a contract', async () => {
    expect(await store.column(`select choice from lookup_exercises('lic-1')`)).toEqual([
      'License_Expire',
    ]);
    expect(
      await store.column(`select choice from lookup_exercises('lic-1', 'License:Archive')`),
    ).toEqual([]);
  });
});

describe('the view of a session', () => {
  test('moves with the projection', async () => {
    expect(await store.value('select latest_offset()')).toBe(20n);
    expect(await store.value('select oldest_offset()')).toBe(9n);
  });

  test('is held by set_latest, for every function alike', async () => {
    expect(await store.value('select set_latest(12)')).toBe(12n);
    expect(await store.value('select latest_offset()')).toBe(12n);
    expect(await store.column(`select contract_id from active('License')`)).toEqual([
      'lic-1',
      'lic-2',
    ]);
    expect(await store.column('select contract_id from archives()')).toEqual([]);
    expect(await store.column('select contract_id from creates(null)')).toEqual([
      'ins-1',
      'lic-1',
      'lic-2',
      'lic-2',
    ]);
    expect(await store.column('select choice from exercises()')).toEqual([]);
    expect(await store.column(`select choice from lookup_exercises('lic-1')`)).toEqual([]);
    expect(await store.column(`select contract_id from lookup_contract('ins-x')`)).toEqual([]);
    expect(await store.value('select sum(count) from summary_active()')).toBe('4');
    // The time of an archival after the pinned offset is hidden too, because it would contradict the other answers.
    expect(
      await store.rows(
        `select archived_at_offset, archive_event_id, life_ix from active('License') where contract_id = 'lic-1'`,
      ),
    ).toEqual([{ archived_at_offset: null, archive_event_id: null, life_ix: '[10,)' }]);
    expect(await store.column(`select archived_at_offset from lookup_contract('lic-1')`)).toEqual([
      null,
    ]);
    expect(await store.column(`select archived_at_offset from creates('License')`)).toEqual([
      null,
      null,
    ]);
  });

  test('is held for this session only, until set_latest(null)', async () => {
    await store.rows('select set_latest(12)');
    const other = new Client({ connectionString: store.url, types: columnTypes });
    await other.connect();
    expect((await other.query('select latest_offset() as at')).rows).toEqual([{ at: 20n }]);
    await other.end();
    expect(await store.value('select set_latest(null)')).toBe(20n);
    expect(await store.column('select contract_id from archives()')).toEqual(['lic-1', 'note-1']);
  });

  test('starts where set_oldest says', async () => {
    expect(await store.value('select set_oldest(14)')).toBe(14n);
    expect(await store.column('select contract_id from creates()')).toEqual(['ins-x', 'note-1']);
    expect(await store.column('select contract_id from active()')).toEqual([
      'ins-1',
      'lic-2',
      'lic-2',
    ]);
  });

  test('a pin from before the store was reset counts for nothing', async () => {
    await store.rows('begin');
    await store.rows('select set_latest(20)');
    await store.rows(
      `update query_store_offset set "offset" = 12, oldest_offset = 0 where stream = 'updates'`,
    );
    expect(await store.value('select latest_offset()')).toBe(12n);
    await store.rows('rollback');
  });

  test.each([
    ['select set_latest(21)', 'Offset 21 is after the latest projected offset 20'],
    ['select set_latest(8)', 'Offset 8 is before the oldest projected offset 9'],
    ['select set_oldest(21)', 'Offset 21 is after the latest projected offset 20'],
    ['select validate_offset_exists(21)', 'Offset 21 is after the latest projected offset 20'],
    [`select * from active('License', 21)`, 'Offset 21 is after the latest offset 20'],
    [`select * from active('License', 8)`, 'Offset 8 is before the oldest offset 9'],
    ['select * from creates(null, 8, 12)', 'Offset 8 is before the oldest offset 9'],
    ['select * from archives(null, 9, 21)', 'Offset 21 is after the latest offset 20'],
    ['select * from exercises(null, 9, 21)', 'Offset 21 is after the latest offset 20'],
  ])('%s is refused', async (sql, message) => {
    await expect(store.rows(sql)).rejects.toThrow(message);
    expect(await store.value('select latest_offset()')).toBe(20n);
  });

  test('an offset that exists is handed back, also between two updates', async () => {
    expect(await store.value('select validate_offset_exists(9)')).toBe(9n);
    expect(await store.value('select validate_offset_exists(18)')).toBe(18n);
  });

  test('nearest_offset is the newest update that was effective by then', async () => {
    const nearest = (time: string) => store.value('select nearest_offset($1::timestamptz)', time);
    expect(await nearest('2026-01-01T00:12:00Z')).toBe(12n);
    expect(await nearest('2026-01-01T00:12:59.999999Z')).toBe(12n);
    expect(await nearest('2026-01-01T00:09:59Z')).toBeNull();
    expect(await nearest('2030-01-01T00:00:00Z')).toBe(16n);
    expect(
      await store.value(`select nearest_offset(now() - timestamptz '2026-01-01T00:11:30Z')`),
    ).toBe(11n);
    await store.rows('select set_latest(12)');
    expect(await nearest('2030-01-01T00:00:00Z')).toBe(12n);
  });
});

test('summaries count per template', async () => {
  expect(await store.rows('select * from summary_active() order by 1')).toEqual([
    { template_fqn: INSTALL, payload_type: 'template', count: 1n },
    { template_fqn: LICENSE, payload_type: 'template', count: 1n },
    { template_fqn: REQUEST, payload_type: 'interface', count: 1n },
  ]);
  expect(
    await store.rows('select template_fqn, count from summary_creates(10, 12) order by 1'),
  ).toEqual([
    { template_fqn: INSTALL, count: 1n },
    { template_fqn: LICENSE, count: 2n },
    { template_fqn: REQUEST, count: 1n },
  ]);
  expect(await store.rows('select template_fqn, count from summary_archives() order by 1')).toEqual(
    [
      { template_fqn: LICENSE, count: 1n },
      { template_fqn: NOTE, count: 1n },
    ],
  );
  expect(await store.rows('select template_fqn, count from summary_transients(11, 20)')).toEqual([
    { template_fqn: NOTE, count: 1n },
  ]);
  expect(await store.rows('select * from summary_exercises() order by 1, 2')).toEqual([
    { template_fqn: LICENSE, choice: 'Archive', count: 1n },
    { template_fqn: LICENSE, choice: 'License_Expire', count: 1n },
    { template_fqn: NOTE, choice: 'Archive', count: 1n },
  ]);
  expect(
    await store.rows(
      'select template_fqn, creates, archives from summary_updates(13, 20) order by 1',
    ),
  ).toEqual([
    { template_fqn: INSTALL, creates: 1n, archives: 0n },
    { template_fqn: LICENSE, creates: 0n, archives: 1n },
    { template_fqn: NOTE, creates: 1n, archives: 1n },
  ]);
});

describe('rows that contradict themselves are refused', () => {
  test.each([
    ['archived before it was created', { id: 'bad', fqn: LICENSE, at: 12, archivedAt: 11 }],
    ['of an unknown template', { id: 'bad', fqn: 'a:B:C', at: 12 }],
    ['twice', { id: 'lic-2', fqn: LICENSE, at: 12 }],
  ])('a contract %s', async (_what, contract) => {
    await expect(store.addContract(contract)).rejects.toThrow(/violates|duplicate/);
  });

  test('an offset before the oldest one, and a stream of another name', async () => {
    const insert =
      'insert into query_store_offset (stream, "offset", oldest_offset) values ($1, $2, $3)';
    await expect(store.rows(insert, 'completions:b', 3, 4)).rejects.toThrow(/violates/);
    await expect(store.rows(insert, 'completions', 3, 0)).rejects.toThrow(/violates/);
  });
});
