import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { failureOf } from '../../src/app/desk/failures.ts';
import type { ProblemDetails } from '../../src/domain/problems.ts';
import { problem } from '../../src/domain/problems.ts';
import { databaseBefore } from '../kit/before-migration.ts';
import { queryOnce } from '../kit/postgres-query.ts';

const ERRORS: readonly ProblemDetails[] = [
  problem('LEDGER_REFUSED', 'a rule was not met', {
    ledgerCode: 'DAML_FAILURE',
    extra: {
      ledgerText: `00${'ab'.repeat(40)} of provider-1::1220ab: 17 > 2.5 “é” at 2026-01-01T00:00:00.000001Z\nby ${randomUUID()}`,
    },
  }),
  problem('LEDGER_REFUSED', 'long', {
    ledgerCode: 'UNHANDLED_EXCEPTION',
    extra: { ledgerText: '😀'.repeat(299) + 'xyz' },
  }),
  problem('BUDGET_SPENT', '12 attempts were refused', { ledgerCode: 'SEQUENCER_BACKPRESSURE' }),
  problem('BUDGET_SPENT', '12 attempts were refused', { ledgerCode: 'NO_ERROR_INFO:UNAVAILABLE' }),
  problem('CONTRACT_GONE', 'the contract is no longer active: it is expired'),
  problem('DECIDED_NO_EFFECT', 'I looked'),
];

test('failures of before have the fingerprints that they would have today', async () => {
  // The migration that adds fingerprints to existing failures.
  await using database = await databaseBefore('_operations_desk.sql');
  for (const [n, error] of ERRORS.entries()) {
    const state = error.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
    await queryOnce(
      database.url,
      `insert into mailbox (lane) values ($1 || 'lane-')`.replace('$1', `'${n}'`),
    );
    await queryOnce(
      database.url,
      `insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
           ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, error)
         values (gen_random_uuid(), '${n}', 'expire-license', '${n}lane-', 1, 'user::1', 's', 'p', 'u', 'provider::1',
           '{}', 'f', '${state}', now(), now(), 1, '${JSON.stringify(error).replaceAll("'", "''")}')`,
    );
  }
  await database.migrate();
  const rows = await queryOnce(
    database.url,
    `select f.*, c.provider, c.app_user, c.outcome
       from change c join failure f on f.fingerprint = c.failure order by c.command_id::int`,
  );
  expect(rows).toEqual(
    ERRORS.map((error) => {
      const state = error.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
      const { ledgerCode, ...failure } = failureOf({
        operation: 'expire-license',
        state,
        finishedAt: 'then',
        error,
      })!;
      const whose = { provider: 'provider::1', app_user: 'user::1' };
      return { ...failure, ledger_code: ledgerCode, ...whose, outcome: failure.fingerprint };
    }),
  );
});
