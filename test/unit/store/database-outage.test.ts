import { expect, test } from 'vitest';
import { ProblemError, problem } from '../../../src/domain/problems.ts';
import { OUTAGES, asOutage } from '../../../src/store/sql/database-outage.ts';
import { asUnreachable } from '../../../src/store/sql/database-unreachable.ts';
import { isDatabaseUnavailable, outageWords } from '../../../src/store/sql/deadline.ts';

const URL = 'postgresql://tenure:hunter2@db.example:6543/tenure';
const failed = (code: string, message = 'private') => Object.assign(new Error(message), { code });
const translated = (error: unknown) => asUnreachable(error, URL) ?? asOutage(error, URL) ?? error;

test.each([
  ['25006', 'read-only', /read-only/u],
  ['53100', 'disk-full', /disk .* full/u],
  ['53200', 'out-of-memory', /out of memory/u],
  ['53300', 'connections-exhausted', /no free connection/u],
  ['55P03', 'locked', /another session locks/u],
  ['57P01', 'connection-lost', /is unreachable/u],
  ['57P02', 'connection-lost', /is unreachable/u],
  ['57P03', 'starting-or-stopping', /starting or stopping/u],
  ['25P03', 'interrupted', /idle/u],
  ['25P04', 'interrupted', /too long/u],
  ['40P01', 'contended', /conflict with each other/u],
  ['58030', 'storage-failing', /read or write its files/u],
])('%s is told as what it is', (code, reason, words) => {
  const error = translated(failed(code));
  expect(error).toMatchObject({ reason, message: expect.stringContaining('db.example:6543') });
  expect(String(error)).not.toMatch(/hunter2|private/u);
  expect(isDatabaseUnavailable(error)).toBe(true);
  // The message does not contain the database's address.
  expect(outageWords(error)).toMatch(words);
  expect(outageWords(error)).not.toMatch(/db\.example|6543|postgres/iu);
});

test('each outage says what to do, and an error of the statement is none', () => {
  for (const code of Object.keys(OUTAGES)) {
    expect(asOutage(failed(code), URL)?.todo, code).toMatch(/^[A-Z].*\.$/u);
  }
  for (const code of ['23505', '22012', '42P01', '42601', '54000', 'P0001', 'XX000']) {
    expect(isDatabaseUnavailable(translated(failed(code))), code).toBe(false);
  }
  const wraparound = failed(
    '54000',
    'database is not accepting commands that assign new transaction IDs to avoid wraparound data loss in database "tenure"',
  );
  expect(outageWords(translated(wraparound))).toMatch(/no transaction IDs left/u);
  const full = failed('54000', 'too many notifications in the NOTIFY queue');
  expect(translated(full)).toMatchObject({ reason: 'notify-full' });
  expect(outageWords('thrown text')).toBeNull();
});

test('what a caller has written is not taken for words of the driver', () => {
  const name = 'Connection terminated: timeout expired on this SSL connection';
  expect(asUnreachable(new Error(name), URL)).not.toBeNull();
  const refusal = new ProblemError(problem('COMMAND_ID_REUSED', `commandId ${name} was used`));
  expect(translated(refusal)).toBe(refusal);
  for (const code of ['22P02', '23505', '42883', 'P0001']) {
    expect(isDatabaseUnavailable(translated(failed(code, `"${name}"`))), code).toBe(false);
  }
  const pooled = failed('08P01', 'unsupported startup parameter: statement_timeout');
  expect(asUnreachable(pooled, URL)?.reason).toBe('pooler');
});
