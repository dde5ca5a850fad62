import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { databaseBefore } from '../kit/before-migration.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * Rows of a version that linked renewals and comments to licences by number. Two licences of one user have the same
 * number, and only for some renewals and comments do other rows show to which licence they belong.
 */

const P = 'provider::1';
const U = 'user::1';
const PACKAGE = 'quickstart-licensing';

const template = (module: string, entity: string) =>
  `insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
   values ('${PACKAGE}:${module}:${entity}', '${PACKAGE}', '${module}', '${entity}', 'template') on conflict do nothing`;

const lifecycleRow = (id: string, kind: string, contract: string, context = '{}') =>
  `insert into mailbox (lane) values ('lane') on conflict do nothing;
   insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id, license_num,
     version, created_at, listed_as)
   values ('${id}', '${kind}', 3, 'active', '${context}', 'lane', '${P}', '${U}', '${contract}', 1, 1, now(), 'active');
   insert into lineage (contract_id, lifecycle_id) values ('${contract}', '${id}')`;

const contractRow = (
  id: string,
  [module, entity]: readonly [string, string],
  offset: number,
  payload: object,
) =>
  `${template(module, entity)};
   insert into contract (contract_id, template_fqn, payload, package_id, package_name, created_at_offset, created_node_id,
     created_effective_at)
   values ('${id}', '${PACKAGE}:${module}:${entity}', '${JSON.stringify(payload)}', 'p', '${PACKAGE}', ${offset}, 1, now())`;

const born = (id: string, detail: object) =>
  `insert into history (lifecycle_id, seq, n, at, kind, state, detail)
   values ('${id}', 1, 1, now(), 'ledger.created', 'requested', '${JSON.stringify(detail)}')`;

const change = (id: string, over: { operation: string; of: string; by: string }) =>
  `insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject, provider,
     app_user, participant, ledger_user, act_as, body, fixed, fingerprint, state, accepted_at, finished_at,
     deduplication_offset, result)
   values ('${id}', '${id}', '${over.operation}', '${over.of}', 'lane', (select count(*) + 1 from change), '${over.by}', 's',
     '${P}', '${U}', 'p', 'u', '${over.by}', '{}', '{"licenseNum": "1"}', 'f', 'succeeded', now(), now(), 1,
     '{"status": 201, "body": null}')`;

const update = (offset: number, workflow: string) =>
  `insert into ledger_update ("offset", update_id, record_time, effective_at, workflow_id, synchronizer_id)
   values (${offset}, 'update-${offset}', now(), now(), '${workflow}', 's')`;

const COMMENT = ['Licensing.LicenseComment', 'LicenseComment'] as const;

test('renewals and comments are given the licence that the records of before show', async () => {
  await using database = await databaseBefore('_licence_of_renewals.sql');
  const [mine, borrowed] = [randomUUID(), randomUUID()];
  const comment = (commenter: string) => ({ provider: P, user: U, licenseNum: '1', commenter });
  const later = '{"settleBefore": "2026-03-01T00:00:00Z"}';
  for (const statement of [
    lifecycleRow('license-a', 'license', '00a1'),
    lifecycleRow('license-b', 'license', '00b1'),
    // Three renewals: one whose creation names its licence, one that an exercise on the licence created, and one from a
    // snapshot.
    lifecycleRow('renewal-1', 'renewal', '00c1', later),
    born('renewal-1', { through: 'license-b' }),
    lifecycleRow('renewal-2', 'renewal', '00c2', '{"settleBefore": "2026-02-01T00:00:00Z"}'),
    born('renewal-2', {}),
    contractRow('00c2', ['Licensing.License', 'LicenseRenewalRequest'], 12, {}),
    `${template('Licensing.License', 'License')};
     insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, result, controllers, consuming,
       last_descendant_node_id, effective_at, package_name)
     values (12, 0, '00a1', '${PACKAGE}:Licensing.License:License', 'License_Renew', '{}', '{}', '{}', false, 2, now(), 'q')`,
    lifecycleRow('renewal-3', 'renewal', '00c3', '{"settleBefore": "2026-01-15T00:00:00Z"}'),
    born('renewal-3', {}),
    change(mine, { operation: 'comment-license', of: 'license-b', by: U }),
    change(borrowed, { operation: 'comment-license', of: 'license-a', by: P }),
    update(20, `tenure-${mine}`),
    update(21, `tenure-${borrowed}`),
    update(22, 'another client'),
    contractRow('00d1', COMMENT, 20, comment(U)),
    contractRow('00d2', COMMENT, 21, comment(U)),
    contractRow('00d3', COMMENT, 22, comment(U)),
    `insert into timer (lifecycle_id, kind, provider, lapses_at, open_until, never_renewed)
     values ('license-a', 'expire', '${P}', now(), '2026-03-01T00:00:00Z', false)`,
  ]) {
    await queryOnce(database.url, statement);
  }
  await database.migrate();
  expect(
    await queryOnce(
      database.url,
      `select id, origin_id from lifecycle where kind = 'renewal' order by id`,
    ),
  ).toEqual([
    { id: 'renewal-1', origin_id: 'license-b' },
    { id: 'renewal-2', origin_id: 'license-a' },
    { id: 'renewal-3', origin_id: null },
  ]);
  expect(
    await queryOnce(
      database.url,
      `select contract_id, origin_id from contract where template_fqn like '%Comment' order by 1`,
    ),
  ).toEqual([
    { contract_id: '00d1', origin_id: 'license-b' },
    { contract_id: '00d2', origin_id: null },
    { contract_id: '00d3', origin_id: null },
  ]);
  expect(
    await queryOnce(
      database.url,
      `select open_until = '2026-02-01T00:00:00Z' as is_own from timer`,
    ),
  ).toEqual([{ is_own: true }]);
});
