import { expect, test } from 'vitest';
import { asError, causeText, errorLine, errorText } from '../../../src/domain/error-text.ts';

test.each([
  [new Error('plain'), 'plain'],
  ['thrown text', 'thrown text'],
  [new AggregateError([new Error('a'), new Error('b')], ''), 'a; b'],
  [new AggregateError([new Error('a')], 'all failed'), 'all failed'],
])('the text of %j is %j', (error, text) => {
  expect(errorText(error)).toBe(text);
});

test('its line is the first one', () => {
  expect(errorLine(new Error('no\nat all'))).toBe('no');
  expect(errorLine(new Error(''))).toBe('');
});

test('its cause says why, where there is one', () => {
  expect(causeText(new Error('fetch failed', { cause: new Error('refused') }))).toBe('refused');
  expect(causeText(new Error('fetch failed'))).toBe('fetch failed');
  expect(causeText('thrown text')).toBe('thrown text');
});

test('what was thrown is an error, or becomes one', () => {
  const error = new Error('plain');
  expect(asError(error)).toBe(error);
  expect(asError('thrown text')).toEqual(new Error('thrown text'));
});
