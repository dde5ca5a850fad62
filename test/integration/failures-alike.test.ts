import { expect, test } from 'vitest';
import { failureOf } from '../../src/app/desk/failures.ts';
import type { ProblemDetails } from '../../src/domain/problems.ts';
import { problem } from '../../src/domain/problems.ts';
import { databaseBefore } from '../kit/before-migration.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * Failures that an earlier version has grouped: it put two failures that differed only in the ledger's trace ID into
 * different groups. The migration puts them into one group, and keeps the decisions of operators.
 */

const refused = (ledgerText: string): ProblemDetails =>
  problem('LEDGER_REFUSED', 'refused', { ledgerCode: 'DAML_FAILURE', extra: { ledgerText } });

const traced = (rule: string, trace: string) =>
  refused(`FAILED_PRECONDITION: ${rule}(9,${trace}): of contract 00ab12cd…`);

const PROVIDER = 'provider::1';
const USER = 'user::1';

interface Planted {
  /** The fingerprint that the earlier version gave the failure. */
  readonly was: string;
  readonly error: ProblemDetails;
  /** The minute in which the operation failed. */
  readonly minute: number;
}

const at = (minute: number): string =>
  `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000000Z`;

const PLANTED: readonly Planted[] = [
  // The failure was resolved in one former group and is open in another. The newer failure is older than the operator's
  // decision.
  { was: 'rule-a-1', error: traced('RULE_A', '1dfb2c3d'), minute: 1 },
  { was: 'rule-a-2', error: traced('RULE_A', '0'), minute: 2 },
  // The failure was resolved in one former group, and occurred again later in another.
  { was: 'rule-b-1', error: traced('RULE_B', '4bf92f35'), minute: 1 },
  { was: 'rule-b-2', error: traced('RULE_B', '99999999'), minute: 30 },
  // The failure was resolved in one former group, and later ignored in another.
  { was: 'rule-c-1', error: traced('RULE_C', 'aaaaaaaa'), minute: 1 },
  { was: 'rule-c-2', error: traced('RULE_C', 'bbbbbbbb'), minute: 40 },
  // The failure is open in both former groups.
  { was: 'rule-d-1', error: traced('RULE_D', 'cccccccc'), minute: 1 },
  { was: 'rule-d-2', error: traced('RULE_D', 'dddddddd'), minute: 2 },
  // A person wrote this text, so only the code determines the group, as before the migration.
  { was: 'decided', error: problem('DECIDED_NO_EFFECT', 'I saw RULE(9,1dfb2c3d)'), minute: 1 },
];

const SAID: readonly (readonly [was: string, state: string, minute: number, reason: string])[] = [
  ['rule-a-1', 'resolved', 10, 'a is mended'],
  ['rule-b-1', 'resolved', 10, 'b is mended'],
  ['rule-c-1', 'resolved', 10, 'c is mended'],
  ['rule-c-2', 'ignored', 20, 'c is known'],
  ['decided', 'ignored', 20, 'seen'],
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function plant(url: string, { was, error, minute }: Planted, n: number): Promise<void> {
  const ledgerCode = error.ledgerCode === undefined ? 'null' : quoted(error.ledgerCode);
  const kind = error.ledgerCode === undefined ? 'null' : `'refused'`;
  const lane = quoted(`lane-${n}`);
  await queryOnce(
    url,
    `insert into failure values (${quoted(was)}, 'expire-license', 'rejected', ${quoted(error.code)}, ${ledgerCode},
       ${kind}, ${quoted(was)}) on conflict do nothing;
     insert into mailbox (lane) values (${lane});
     insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
       ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, error, failure,
       provider, app_user)
     values (gen_random_uuid(), '${n}', 'expire-license', ${lane}, 1, '${USER}', 's', 'p', 'u', '${PROVIDER}', '{}',
       'f', 'rejected', '${at(minute)}', '${at(minute)}', 1, ${quoted(JSON.stringify(error))}, ${quoted(was)},
       '${PROVIDER}', '${USER}')`,
  );
}

test('failures of before are of the kinds of today, and what was said of them holds', async () => {
  await using database = await databaseBefore('_alike_failures.sql');
  const { url } = database;
  for (const [n, planted] of PLANTED.entries()) await plant(url, planted, n);
  for (const [was, state, minute, reason] of SAID) {
    await queryOnce(
      url,
      `insert into failure_decision values (${quoted(was)}, '${PROVIDER}', '${state}', '${at(minute)}', 'ann', '${reason}')`,
    );
  }
  await database.migrate();

  const kindOf = (error: ProblemDetails) =>
    failureOf({ operation: 'expire-license', state: 'rejected', finishedAt: 'then', error })!;
  const changes = await queryOnce<{ failure: string; explanation: string }>(
    url,
    `select c.failure, f.explanation from change c join failure f on f.fingerprint = c.failure
     order by c.command_id::int`,
  );
  // Failures with texts that persons wrote were in one group before, too; only the fingerprint of the group changes.
  expect(changes.slice(0, -1)).toEqual(
    PLANTED.slice(0, -1).map(({ error }) => {
      const { fingerprint, explanation } = kindOf(error);
      return { failure: fingerprint, explanation };
    }),
  );
  expect(changes.at(-1)).toEqual({ failure: 'decided', explanation: 'decided' });
  const kinds = await queryOnce<{ n: bigint }>(url, 'select count(*) as n from failure');
  expect(Number(kinds[0]?.n)).toBe(5);

  const said = await queryOnce<Record<string, string | null>>(
    url,
    `select f.fingerprint, d.state, d.reason, d.reopened_at from failure f
     join failure_decision d on d.fingerprint = f.fingerprint and d.party = '${PROVIDER}' order by d.reason`,
  );
  const named = (rule: string): string => kindOf(traced(rule, '0')).fingerprint;
  expect(said).toEqual([
    { fingerprint: named('RULE_A'), state: 'resolved', reason: 'a is mended', reopened_at: null },
    {
      fingerprint: named('RULE_B'),
      state: 'resolved',
      reason: 'b is mended',
      reopened_at: '2026-01-01T00:30:00Z',
    },
    { fingerprint: named('RULE_C'), state: 'ignored', reason: 'c is known', reopened_at: null },
    { fingerprint: 'decided', state: 'ignored', reason: 'seen', reopened_at: null },
  ]);
});
