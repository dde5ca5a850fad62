import { expect, test } from 'vitest';
import { bytesWords, countWords, durationWords, spanWords } from '../../web/src/parts/words.ts';
import * as desk from '../../web/src/texts/desk.tsx';
import { compareTexts, counted, numberText, timeText } from '../../web/src/texts/intl.ts';
import * as licenses from '../../web/src/texts/licenses.tsx';
import * as parts from '../../web/src/texts/parts.tsx';
import * as policies from '../../web/src/texts/policies.tsx';
import * as webhooks from '../../web/src/texts/webhooks.tsx';

/* Sentences of the catalogue with counts, and the formats of numbers and dates. */

test.each([
  [counted(1, 'entry', 'entries'), '1 entry'],
  [counted(0, 'entry', 'entries'), '0 entries'],
  [counted(1_234, 'entry', 'entries'), '1,234 entries'],
  [desk.actOn('Retry', 1), 'Retry: 1 operation'],
  [desk.operationsToDecideAs(2, 'It took effect'), 'operations to decide as “It took effect”'],
  [desk.ofItsOperationsHaveFailed(1), '1 of its operations has failed'],
  [desk.ofItsOperationsHaveFailed(3), '3 of its operations have failed'],
  [licenses.selectedLicences(1), '1 selected licence'],
  [licenses.openRenewals(2), 'Open renewals'],
  [policies.countOf.renewals(1), '1 renewal'],
  [webhooks.theLastFailed(1), 'The last try failed.'],
  [webhooks.theLastFailed(4), 'The last 4 tries failed.'],
  [
    parts.searchAndOrderApplyToThese(1),
    'Search and order apply to this row. The next page has the rows after it.',
  ],
  [
    parts.searchAndOrderApplyToThese(50),
    'Search and order apply to these 50 rows. The next page has the rows after them.',
  ],
])('%s', (said, text) => {
  expect(said).toBe(text);
});

test('durations and sizes have their units', () => {
  expect(['P1D', 'P30D', 'PT0.5S', 'P1Y6M', 'soon'].map(durationWords)).toEqual([
    '1 day',
    '30 days',
    '0.5 seconds',
    '1 year 6 months',
    'soon',
  ]);
  expect([950, 1_240, 184_000, 190_000_000].map(spanWords)).toEqual([
    '950 ms',
    '1.2 s',
    '3 min 4 s',
    '2 d 4 h',
  ]);
  expect([900, 18_400, 2_000_000].map(bytesWords)).toEqual(['900 B', '18.4 kB', '2 MB']);
});

test('numbers have separators, and keep the digits of the ledger', () => {
  expect(countWords(10_000, true)).toBe('10,000+');
  expect(numberText('12345678901234567890.0123456789', 'exact')).toBe(
    '12,345,678,901,234,567,890.0123456789',
  );
  expect(numberText(0.1234, 'percent')).toBe('12.3%');
});

test('dates are in the asked time zone, with the day first', () => {
  const at = Date.parse('2026-11-29T23:05:09Z');
  expect(timeText(at, 'short', 'UTC')).toBe('29 Nov 2026, 23:05');
  expect(timeText(at, 'day', 'Asia/Tokyo')).toBe('30 Nov');
  expect(timeText(at, 'clock', 'UTC')).toBe('23:05:09');
});

test('texts with numbers are sorted by the numbers', () => {
  expect(['No. 10', 'No. 9'].toSorted(compareTexts)).toEqual(['No. 9', 'No. 10']);
});
