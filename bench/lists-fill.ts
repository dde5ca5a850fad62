import { Client } from 'pg';
import { templateFqn } from '../src/domain/ledger.ts';
import { ALLOCATION, LICENSE, LICENSE_RENEWAL_REQUEST } from '../src/domain/licensing.ts';

/*
 * Fills a store so that it looks as if it had been used for a long time. The rows are written directly to its tables,
 * because creating them through the ledger would take hours.
 */

/** Licences of one tenant, and the rows that belong to them. */
export interface Tenancy {
  /** A text that distinguishes the contracts of this tenancy from those of others. */
  readonly name: string;
  readonly licenses: number;
  readonly users: number;
  /** SQL expressions for the parties of licence number `n`. */
  readonly provider: string;
  readonly user: string;
}

const hex = (of: string): string => `encode(sha256((${of})::bytea), 'hex')`;
const contractId = (of: string): string => `'00' || encode(sha512((${of})::bytea), 'hex')`;

/** Returns an SQL expression for a party ID. @param of an SQL expression that is different for each party */
export const partyOf = (hint: string, of: string): string =>
  `'${hint}-' || lpad((${of})::text, 5, '0') || '::1220' || ${hex(`'${hint}' || (${of})`)}`;

const iso = (time: string): string => `to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
const SINCE = `timestamptz '2026-01-01Z'`;
const AMULET = `'{"admin": "DSO::1220dd", "id": "Amulet"}'::jsonb`;
const META = `jsonb_build_object('values', jsonb_build_object(
  'splice.lfdecentralizedtrust.org/reason', 'One more month', 'cn-quickstart.example.org/licenseNum', n::text))`;

const CONTRACT = `insert into contract (contract_id, template_fqn, payload, signatories, package_id, package_name,
  created_at_offset, created_node_id, created_effective_at, archived_at_offset, archived_node_id, archived_effective_at)`;
const LIFECYCLE = `insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id,
  license_num, expires_at, version, created_at, ended_at)`;
const LANE = `'license:' || provider || '/' || app_user || '/' || n`;
const OPEN = `1, 0, ${SINCE}, null, null, null`;

/** SQL: for every tenth licence, there is another one that begins differently and has ended. */
const licenses = ({ name, provider, user, licenses: count }: Tenancy): string => `
  create temporary table made as
    select n, e, ${provider} as provider, ${user} as app_user, ${contractId(`'${name} license ' || e || ' ' || n`)} as contract_id,
           ${SINCE} + n * interval '1 minute' as expires_at
    from generate_series(1, ${count}) n, generate_series(0, 1) e
    where e = 0 or n % 10 = 0;
  ${LIFECYCLE}
    select 'license-' || substr(contract_id, 3, 32), 'license', 1,
           case when e = 1 then 'expired' when n % 997 = 0 then 'expiring' else 'active' end, '{}',
           ${LANE}, provider, app_user, contract_id, n, expires_at, 1, ${SINCE}, case when e = 1 then ${SINCE} end
    from made;
  ${CONTRACT}
    select contract_id, '${templateFqn(LICENSE)}',
           jsonb_build_object(
             'provider', provider, 'user', app_user, 'licenseNum', n::text, 'expiresAt', ${iso('expires_at')},
             'params', jsonb_build_object('meta', jsonb_build_object('values', jsonb_build_object('seats', '25')))),
           array[provider, app_user], 'p', 'quickstart-licensing', 1, 0, ${SINCE},
           case when e = 1 then 1 end, case when e = 1 then 1 end, case when e = 1 then ${SINCE} end
    from made;`;

/** SQL: a fifth of every user's licences has an open renewal. For half of these, money has been allocated. */
const renewals = ({ name, users }: Tenancy): string => `
  create temporary table renewed as
    select n, provider, app_user, ${contractId(`'${name} renewal ' || n`)} as contract_id,
           jsonb_build_object(
             'provider', provider, 'user', app_user, 'licenseNum', n::text, 'requestId', '${name}-' || n,
             'licenseFeeAmount', '100.0000000000', 'licenseFeeInstrumentId', ${AMULET},
             'licenseExtensionDuration', jsonb_build_object('microseconds', '2592000000000'),
             'requestedAt', '2026-01-01T00:00:00Z', 'prepareUntil', '2026-01-01T00:10:00Z',
             'settleBefore', '2026-01-01T00:20:00Z', 'description', 'One more month') as payload
    from made where e = 0 and n / ${users} % 5 = 0;
  ${LIFECYCLE}
    select 'renewal-' || substr(contract_id, 3, 32), 'renewal', 1, 'requested', '{}',
           ${LANE}, provider, app_user, contract_id, n, null, 1, ${SINCE}, null
    from renewed;
  ${CONTRACT}
    select contract_id, '${templateFqn(LICENSE_RENEWAL_REQUEST)}', payload, array[provider, app_user], 'p',
           'quickstart-licensing', ${OPEN}
    from renewed;
  ${CONTRACT}
    select ${contractId(`'${name} allocation ' || n`)}, '${templateFqn(ALLOCATION)}',
           jsonb_build_object(
             'holdingCids', '[]'::jsonb, 'meta', '{"values": {}}'::jsonb,
             'allocation', jsonb_build_object(
               'transferLegId', 'licenseFeePayment',
               'settlement', jsonb_build_object(
                 'executor', provider, 'settlementRef', jsonb_build_object('id', payload -> 'requestId', 'cid', null),
                 'requestedAt', payload -> 'requestedAt', 'allocateBefore', payload -> 'prepareUntil',
                 'settleBefore', payload -> 'settleBefore', 'meta', ${META}),
               'transferLeg', jsonb_build_object(
                 'sender', app_user, 'receiver', provider, 'amount', payload -> 'licenseFeeAmount',
                 'instrumentId', ${AMULET}, 'meta', ${META}))),
           array[app_user], 'p', 'splice-amulet', ${OPEN}
    from renewed where n / ${users} % 10 = 0;`;

const LINEAGE = `
  insert into lineage (contract_id, lifecycle_id)
    select contract_id, 'license-' || substr(contract_id, 3, 32) from made
    union all select contract_id, 'renewal-' || substr(contract_id, 3, 32) from renewed;
  drop table made, renewed;`;

const TEMPLATES = `
  insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
  select f, split_part(f, ':', 1), split_part(f, ':', 2), split_part(f, ':', 3), t
  from (values ('${templateFqn(LICENSE)}', 'template'), ('${templateFqn(LICENSE_RENEWAL_REQUEST)}', 'template'),
               ('${templateFqn(ALLOCATION)}', 'interface')) as v(f, t)
  on conflict do nothing;`;

/** Adds a tenancy. Then runs `analyze`, which the server would otherwise do soon afterwards. */
export async function addTenancy(url: string, tenancy: Tenancy): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `begin; ${TEMPLATES} ${licenses(tenancy)} ${renewals(tenancy)} ${LINEAGE} commit`,
    );
    for (const table of ['lifecycle', 'contract']) await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
