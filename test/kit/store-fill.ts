import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { templateFqn } from '../../src/domain/ledger.ts';
import { ALLOCATION, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';

/* SQL that fills a store so that it looks as if it had been used for a long time. */

/** The number of finished changes. */
export const CHANGES = 10_000;
/** The provider with the most licences. */
export const BIG = trusted<Party>('big-provider::1220aa');
/** Returns the user with this number, from 0 to 499, of that provider. */
export const userNo = (n: number): Party =>
  trusted<Party>(`user-${String(n).padStart(5, '0')}::1220bb`);

const LICENSE_FQN = templateFqn(LICENSE);
const RENEWAL_FQN = templateFqn(LICENSE_RENEWAL_REQUEST);
const ALLOCATION_FQN = templateFqn(ALLOCATION);

export const TEMPLATES = `
  insert into template values
    ('${LICENSE_FQN}', 'quickstart-licensing', 'Licensing.License', 'License', 'template'),
    ('${RENEWAL_FQN}', 'quickstart-licensing', 'Licensing.License', 'LicenseRenewalRequest', 'template'),
    ('${ALLOCATION_FQN}', 'splice-api-token-allocation-v1', 'Splice.Api.Token.AllocationV1', 'Allocation', 'interface')
    on conflict do nothing;
`;

/**
 * SQL that inserts licences of 500 users, of which every tenth has already ended once. @param provider, user SQL
 * expressions that use the number `n`
 */
const licenses = (name: string, provider: string, user: string, count: number): string => `
  insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id,
                         license_num, expires_at, version, created_at, ended_at)
  select 'license-${name}' || e || '-' || n, 'license', 1, case when n % 1000 = 0 then 'expiring' else 'active' end,
         '{}', 'license-${name}' || e || '-' || n, ${provider}, ${user}, '${name}' || e || lpad(n::text, 66, '0'), n,
         timestamptz '2026-01-01Z' + n * interval '1 second', 1, timestamptz '2026-01-01Z',
         case when e = 1 then timestamptz '2026-01-02Z' end
  from generate_series(1, ${count}) n, generate_series(0, 1) e
  where e = 0 or n % 10 = 0;
  insert into lineage select contract_id, id from lifecycle where id like 'license-${name}%';
  insert into contract (contract_id, template_fqn, payload, signatories, package_id, package_name,
                        created_at_offset, created_node_id, created_effective_at)
  select contract_id, '${LICENSE_FQN}', jsonb_build_object('licenseNum', license_num),
         array[provider], 'p', 'quickstart-licensing', license_num, 1, created_at
  from lifecycle where id like 'license-${name}%';
`;

/**
 * SQL for renewals: every user has an open renewal for a fifth of its licences, and allocations for half of these
 * renewals.
 */
export const renewals = (name: string): string => `
  insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id,
                         license_num, version, created_at)
  select 'renewal-${name}-' || license_num, 'renewal', 1, 'requested', '{}', lane, provider, app_user,
         '${name}r' || lpad(license_num::text, 66, '0'), license_num, 1, created_at
  from lifecycle where id like 'license-${name}0-%' and license_num / 500 % 5 = 0;
  insert into contract (contract_id, template_fqn, payload, signatories, package_id, package_name,
                        created_at_offset, created_node_id, created_effective_at)
  select contract_id, '${RENEWAL_FQN}',
         jsonb_build_object('requestId', id, 'requestedAt', '2026-01-01T00:00:00Z', 'licenseNum', license_num),
         array[provider], 'p', 'quickstart-licensing', license_num, 2, created_at
  from lifecycle where id like 'renewal-${name}-%';
  insert into contract (contract_id, template_fqn, payload, signatories, package_id, package_name,
                        created_at_offset, created_node_id, created_effective_at)
  select '${name}a' || lpad(license_num::text, 66, '0'), '${ALLOCATION_FQN}',
         jsonb_build_object('allocation', jsonb_build_object(
           'settlement', jsonb_build_object('settlementRef', jsonb_build_object('id', id)),
           'transferLeg', jsonb_build_object('sender', app_user))),
         array[app_user], 'p', 'splice-amulet', license_num, 3, created_at
  from lifecycle where id like 'renewal-${name}-%' and license_num / 500 % 10 = 0;
`;

/** SQL that inserts licences of the provider `BIG`. `renewals('00')` inserts their renewals. */
export const ofBig = (count: number): string =>
  licenses('00', `'${BIG}'`, `'user-' || lpad((n % 500)::text, 5, '0') || '::1220bb'`, count);

/** SQL that inserts licences of other providers with their renewals, which precede those of `BIG` in lists. */
export const ofOthers = (count: number): string =>
  licenses('99', `'other-' || n % 50 || '::1220cc'`, `'someone-' || n % 500 || '::1220cc'`, count) +
  renewals('99');

/** SQL that fills all tables, with this number of licences of the provider `BIG`. */
export const fill = (count: number): string => `
  ${TEMPLATES} ${ofBig(count)} ${renewals('00')}
  ${ofOthers(count / 4)}
  insert into mailbox (lane, next_no) select 'lane-' || n, 2 from generate_series(1, ${CHANGES}) n;
  insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
                      ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at,
                      deduplication_offset, accepted_update_id, accepted_offset, accepted_read_back, result)
  select gen_random_uuid(), 'c-' || n, 'create-license', 'lane-' || n, 1, '${BIG}', 's', 'app-provider', 'u', '${BIG}',
         '{}', 'f', 'succeeded', now(), now(), 1, 'update-' || n, n, false, '{"status":201,"body":null}'
  from generate_series(1, ${CHANGES}) n;
  insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
  select id, 1, 'sub-' || command_id, 'app-provider', 'u', '${BIG}', now()
  from change where caller_subject = 's';
  insert into effect (id, change_id, due_at, done_at) select 'fx-' || id, id, now(), now()
  from change where caller_subject = 's';
  insert into history (lifecycle_id, seq, n, at, kind, state, detail)
  select id, 1, 1, now(), 'ledger.created', 'active', '{}'
  from lifecycle where provider = '${BIG}';
  insert into ledger_update ("offset", update_id, record_time, effective_at, synchronizer_id)
  select n, 'old-' || n, now(), now(), 's' from generate_series(1, ${CHANGES}) n;
  insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, consuming,
                        last_descendant_node_id, effective_at, package_name)
  select n, 0, '00' || n, 'quickstart-licensing:Licensing.License:License', 'License_Expire', '{}', true, 0, now(), 'p'
  from generate_series(1, ${CHANGES}) n;
`;
