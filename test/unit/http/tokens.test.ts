import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutTokens } from '../../../src/http/kit/trace.ts';

/* Strings that look like a token are removed from logs and traces, wherever they occur. */

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';

test.each([
  ['alone', TOKEN, '[token]'],
  ['in a path', `/licenses/${TOKEN}:expire`, '/licenses/[token]:expire'],
  ['behind a hyphen', `/x-${TOKEN}`, '/x-[token]'],
  ['behind a dot', `/a.${TOKEN}`, '/a.[token]'],
  ['before a dot', `${TOKEN}.txt`, '[token].txt'],
  ['without a signature', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.', '[token]'],
  ['twice', `${TOKEN} ${TOKEN}`, '[token] [token]'],
  ['within a word, where none begins', `x${TOKEN}`, `x${TOKEN}`],
  ['of two parts', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9'],
  ['of an empty part', 'eyJhbGciOiJub25lIn0..x', 'eyJhbGciOiJub25lIn0..x'],
  ['that is too short', 'eyJhbGc.eyJ.x', 'eyJhbGc.eyJ.x'],
])('a token %s', (_where, text, expected) => {
  expect(withoutTokens(text)).toBe(expected);
});

test('a text without one stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('eyJ'));
      expect(withoutTokens(text)).toBe(text);
    }),
  );
});

/**
 * These texts are eight times as long as an address may be. An algorithm with quadratic time would take many seconds.
 */
test.each(['eyJ-', 'eyJaaaaaaaa.', 'eyJaaaaaaaa-', 'a.eyJ-', '.', 'eyJaaaaaaaa..'])(
  'what begins like one again and again (%s) is looked through once',
  (part) => {
    const text = part.repeat(131_072 / part.length);
    const began = process.cpuUsage();
    withoutTokens(text);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  },
);
