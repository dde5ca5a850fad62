import { expect, test } from 'vitest';
import { usualFor } from '../../../src/store/sql/usual.ts';

test.each([
  ['postgresql://tenure:secret@localhost/tenure?host=/run/tenure', 3],
  ['postgresql://tenure:secret@127.0.0.1:5432/tenure', null],
  ['postgresql://tenure:secret@localhost:5432,127.0.0.1:5433/tenure', null],
  ['postgresql://tenure:secret@db.example/tenure', null],
  ['nonsense', null],
])('connections to %s', (url, usual) => {
  expect(usualFor(url, 2)).toBe(usual);
});
