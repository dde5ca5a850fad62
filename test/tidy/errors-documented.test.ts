import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { PROBLEMS } from '../../src/domain/problems.ts';

const document = readFileSync('docs/ERRORS.md', 'utf8');

/** Matches `| `CODE` | status | …`. */
const ROW = /^\| `([A-Z_]+)` \| (\d{3}) \| (.+) \| (.+) \|$/gmu;

const documented = [...document.matchAll(ROW)].map(([, code = '', status = '', means, todo]) => ({
  code,
  status: Number(status),
  means,
  todo,
}));

test('every code is documented once, with its status, and no other', () => {
  const rows = documented.map(({ code, status }) => ({ code, status }));
  const codes = Object.entries(PROBLEMS).map(([code, { status }]) => ({ code, status }));
  expect(rows).toEqual(codes);
});

test('a code that may work later says when, or how to find out', () => {
  const retryable = documented.filter(
    ({ code }) => PROBLEMS[code as keyof typeof PROBLEMS].retryable,
  );
  expect(retryable.length).toBeGreaterThan(0);
  for (const { todo } of retryable) expect(todo).toMatch(/\b(again|Repeat)\b/u);
});

test('limits in the text are the limits in force', () => {
  expect(document).toContain(`more than ${HTTP_LIMITS.metadataBodyBytesMax / 1024} KiB`);
  expect(document).toContain(`headers have more than ${HTTP_LIMITS.httpHeaderBytesMax / 1024} KiB`);
});
