import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { entriesOf, saidIn, unsaid, wordsIn } from './glossary.ts';

const words = unsaid(entriesOf(readFileSync('docs/GLOSSARY.md', 'utf8')));

/**
 * Words in the column "Not" that are permitted in another meaning, with this meaning. The list may only become shorter.
 */
const RIGHT_FOR: Readonly<Record<string, string>> = {
  action: 'what a machine takes',
  batch: 'what a transaction applies or deletes at once',
  client: 'of OAuth, of HTTP',
  command: "the ledger's, and its ID",
  entity: "HTTP's entity tag",
  error: 'what is thrown',
  heartbeat: 'of a machine that holds a seat of a licence',
  job: "the queue's",
  lag: 'how far the projection is behind, in time',
  link: "a relation of HTTP's, of the queue to its server",
  listener: 'of PostgreSQL, in this process',
  lock: 'of lanes, in the database',
  login: 'until a browser has a session',
  message: 'a sentence',
  payment: 'what a renewal asks for and what came of it, in the books',
  queue: "BullMQ's",
  request: "HTTP's, and the templates that are called so",
  response: "HTTP's, in the OpenAPI document",
  transaction: "the ledger's",
  user: "the tenant's; the role",
  withdraw: 'the operation on a renewal',
  workflow: 'the workflow ID of the ledger',
};

test('no exported name says what the glossary says is not said, unless it is right for another thing', () => {
  const files = sourceFiles().filter((file) => /^(src|machines|workers)\//u.test(file));
  const said = saidIn(new Map(files.map((file) => [file, readFileSync(file, 'utf8')])), words);
  expect([...said.keys()].toSorted()).toEqual(Object.keys(RIGHT_FOR));
});

test('the words are read from the table, without those that have another meaning', () => {
  expect(words).toContain('heartbeat');
  expect(words).not.toContain('event');
  expect(words).not.toContain('word');
});

test.each([
  ['heartbeatMs', ['heartbeat']],
  ['PARTITIONS', ['partition']],
  ['isHalfOpen', ['half-open']],
  ['dryRunOf', ['dry run']],
  ['triggered', []],
])('%s', (name, said) => {
  expect(wordsIn(name, words)).toEqual(said);
});
