import { expect, test } from 'vitest';
import { parseFailure } from '../../../localnet/http/json/parse-failure.ts';

/* The error messages of jawn, the parser that a participant's JSON library uses. */

test.each([
  ['yolo', `expected json value got 'yolo' (line 1, column 1)`],
  ['unexpected body', `expected json value got 'unexpe...' (line 1, column 1)`],
  ['"a","iat":1', `expected whitespace or eof got ',"iat"...' (line 1, column 4)`],
  ['{}{}\n', `expected whitespace or eof got '{}\n' (line 1, column 3)`],
  ['{\n  "a": nope}', `expected null got 'nope}' (line 2, column 8)`],
  ['{a: 1}', `expected " got 'a: 1}' (line 1, column 2)`],
  ['{"a" 1}', `expected : got '1}' (line 1, column 6)`],
  ['{"a": 1 2}', `expected } or , got '2}' (line 1, column 9)`],
  ['[1 2]', `expected ] or , got '2]' (line 1, column 4)`],
  ['[1,]', `expected json value got ']' (line 1, column 4)`],
  ['{"a": [], "b": -}', `expected digit got '-}' (line 1, column 16)`],
  ['', 'exhausted input'],
  ['{"commands": [', 'exhausted input'],
  ['{"a', 'exhausted input'],
])('%j: %s', (text, said) => {
  expect(parseFailure(text)).toBe(said);
});

test('stays quick and flat in what is deep', () => {
  expect(parseFailure('['.repeat(200_000))).toBe('exhausted input');
});
