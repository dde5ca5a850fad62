import { expect, test } from 'vitest';
import type { CommandId, UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import {
  judgeHosts,
  judgeLost,
  judgeReplica,
  judgeStandbys,
} from '../../../src/doctor/judge-servers.ts';

const host = (place: string, kind: 'primary' | 'standby' | 'older' | 'away', why = '') => ({
  place,
  kind,
  why,
});
const levels = (findings: readonly { readonly level: string }[]) =>
  findings.map(({ level }) => level);

test('a primary and its standby are well', () => {
  expect(levels(judgeHosts([host('a:1', 'primary'), host('b:1', 'standby')]))).toEqual([
    'well',
    'well',
  ]);
});

test('what is away, and what was left behind by a promotion, is wrong', () => {
  const found = judgeHosts([host('a:1', 'older', 'is on timeline 1'), host('b:1', 'primary')]);
  expect(found[0]).toMatchObject({ level: 'wrong', what: 'server a:1 is on timeline 1' });
  expect(found[0]?.todo).toMatch(/pg_rewind/u);
  const away = judgeHosts([host('a:1', 'primary'), host('b:1', 'away', 'does not answer')]);
  expect(levels(away)).toEqual(['well', 'wrong']);
});

test('standbys without a primary are no database', () => {
  const found = judgeHosts([host('a:1', 'standby'), host('b:1', 'away', 'does not answer')]);
  expect(found.at(-1)).toMatchObject({ level: 'wrong', what: 'no server accepts writes' });
});

test.each([
  [{ wanted: '', following: 0, waiting: 0, waitedMs: 0 }, []],
  // After a failover to that server, accepted operations would be lost.
  [{ wanted: '', following: 1, waiting: 0, waitedMs: 0 }, ['wrong']],
  [{ wanted: 's', following: 1, waiting: 0, waitedMs: 0 }, ['well']],
  [{ wanted: 's', following: 1, waiting: 3, waitedMs: 40 }, ['well']],
  [{ wanted: 's', following: 0, waiting: 0, waitedMs: 0 }, ['wrong']],
  [{ wanted: 's', following: 0, waiting: 2, waitedMs: 9_000 }, ['wrong']],
])('commits that wait for a standby: %j', (standbys, expected) => {
  expect(levels(judgeStandbys(standbys))).toEqual(expected);
});

test('a replica that follows is well; one that is far behind or away is wrong', () => {
  const replica = { place: 'r:1', behindBytes: 800, why: null };
  expect(judgeReplica(replica)).toMatchObject({
    level: 'well',
    what: 'the replica r:1 is 800 bytes behind the primary',
  });
  expect(judgeReplica({ ...replica, behindBytes: 2 ** 30 }).level).toBe('wrong');
  expect(judgeReplica({ ...replica, why: 'no server listens at this address' })).toMatchObject({
    level: 'wrong',
    what: 'the replica r:1 is unusable: no server listens at this address',
  });
});

test('operations that the database has lost are named, as far as they are known', () => {
  expect(judgeLost({ count: 0, newest: [] })).toEqual([]);
  const newest = [
    {
      commandId: trusted<CommandId>('pay-1'),
      actAs: [],
      updateId: trusted<UpdateId>('u-1'),
      recordedAt: '2026-01-01T00:00:00Z',
    },
  ];
  const [finding] = judgeLost({ count: 2, newest });
  expect(finding).toMatchObject({
    level: 'wrong',
    what: expect.stringMatching(/^2 operations took effect .* pay-1 as update u-1, …$/u),
  });
});
