import { expect, test } from 'vitest';
import { readExactly } from '../../../cli/api/render.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { attentionText } from '../../../cli/commands/attention.ts';

const SCREEN = { width: 100, isColoured: false, nowMs: Date.parse('2026-01-31T12:00:00Z') };
/** Parses a digest in the same way as the API client, which keeps every digit of a number. */
const read = (digest: object) => readExactly(JSON.stringify(digest)) as JsonRecord;
const NONE = { count: 0, more: false, items: [] };

test('tenure ops attention writes a table for each part that has something', () => {
  const digest = {
    asOf: '2026-01-31T12:00:00.000Z',
    inDoubt: {
      count: 100,
      more: true,
      items: [
        {
          id: '0197a3f2-5b6c-7d8e-9f01-23456789abcd',
          state: 'in-doubt',
          operation: 'renew-license',
          acceptedAt: '2026-01-31T09:00:00Z',
        },
      ],
    },
    alarms: NONE,
    leases: {
      count: 1,
      more: false,
      items: [{ name: 'clock', held: false, until: '2026-01-31T11:00:00Z', epoch: 3, holder: 'a' }],
    },
    unavailable: ['streams'],
  };
  expect(attentionText(read(digest), SCREEN)).toMatchInlineSnapshot(`
    "in doubt: more than 100  (tenure ops in-doubt)
    id                                    operation      age
    0197a3f2-5b6c-7d8e-9f01-23456789abcd  renew-license  3h

    leases without a holder: 1  (tenure ops leases)
    lease  held   until  epoch  holder
    clock  false  1h     3      a

    could not be read: streams"
  `);
});

test('and says so where there is nothing', () => {
  expect(attentionText({ inDoubt: NONE, unavailable: [] }, SCREEN)).toBe('nothing needs attention');
});
