import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Kept, Policies, PolicyChange, PolicySet } from '../../app/ports/policies.ts';
import type { PolicyName } from '../../domain/automatic.ts';
import type { ExpiryPolicy } from '../../domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../domain/expiry-policy.ts';
import type { Party } from '../../domain/ids.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import { DEFAULT_RENEWAL_POLICY } from '../../domain/renewal-policy.ts';
import { TOLD_OF_AUDIT } from '../rows/audit-row.ts';
import { ARRIVALS_CHANNEL, TIMERS_CHANNEL } from '../sql/channels.ts';
import type { Row } from '../sql/schema.ts';
import type { Session } from '../sql/session.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const EXPIRY = statement<Row<'expiry_policy'>>(
  'expiry-policy',
  'select * from expiry_policy where provider = $1',
);

const RENEWAL = statement<Row<'renewal_policy'>>(
  'renewal-policy',
  'select * from renewal_policy where provider = $1',
);

/** Whoever changes the policy waits for those who act on it; what they see after it, is what it has become. */
const HOLD: Readonly<Record<PolicyName, Statement<{ version: number }>>> = {
  expiry: statement<{ version: number }>(
    'hold-expiry-policy',
    'select version from expiry_policy where provider = $1 for share',
  ),
  renewal: statement<{ version: number }>(
    'hold-renewal-policy',
    'select version from renewal_policy where provider = $1 for share',
  ),
};

/** See `Tx.policyVersion`. */
export async function holdPolicyVersion(
  session: Session,
  name: PolicyName,
  provider: Party,
): Promise<number> {
  const [row] = await session.run(HOLD[name], [provider]);
  return row?.version ?? 0;
}

/** One that is set for the first time has no row that could be locked. */
const LOCK = statement<never>(
  'lock-policies',
  `select pg_advisory_xact_lock(hashtextextended('policy ' || $1::text, 0))`,
);

const SET_EXPIRY = statement<never>(
  'set-expiry-policy',
  `insert into expiry_policy (provider, version, mode, grace, grace_ms, include_never_renewed, quiet_hours, paused,
                              max_in_flight)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)
   on conflict (provider) do update
   set version = excluded.version, mode = excluded.mode, grace = excluded.grace, grace_ms = excluded.grace_ms,
       include_never_renewed = excluded.include_never_renewed, quiet_hours = excluded.quiet_hours,
       paused = excluded.paused, max_in_flight = excluded.max_in_flight`,
);

const SET_RENEWAL = statement<never>(
  'set-renewal-policy',
  `insert into renewal_policy (provider, version, complete, withdraw_lapsed) values ($1, $2, $3, $4)
   on conflict (provider) do update
   set version = excluded.version, complete = excluded.complete, withdraw_lapsed = excluded.withdraw_lapsed`,
);

const AUDIT = statement<never>(
  'audit-policy',
  `with recorded as (
   insert into audit (at, by_party, by_subject, act, subject, reason, detail, of_party)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $2)
   ${TOLD_OF_AUDIT}`,
);

const expiryFromRow = (row: Row<'expiry_policy'> | undefined): Kept<ExpiryPolicy> =>
  row === undefined
    ? { policy: DEFAULT_EXPIRY_POLICY, version: 0 }
    : {
        version: row.version,
        policy: {
          mode: row.mode,
          grace: row.grace,
          graceMs: Number(row.grace_ms),
          includeNeverRenewed: row.include_never_renewed,
          quietHours: row.quiet_hours,
          paused: row.paused,
          maxInFlight: row.max_in_flight,
        },
      };

const renewalFromRow = (row: Row<'renewal_policy'> | undefined): Kept<RenewalPolicy> =>
  row === undefined
    ? { policy: DEFAULT_RENEWAL_POLICY, version: 0 }
    : {
        version: row.version,
        policy: { complete: row.complete, withdrawLapsed: row.withdraw_lapsed },
      };

/** How one kind of policy is read and written. */
interface Shelf<Policy, PolicyRow> {
  readonly name: string;
  readonly read: Statement<PolicyRow>;
  readonly fromRow: (row: PolicyRow | undefined) => Kept<Policy>;
  readonly write: Statement<never>;
  readonly columns: (policy: Policy) => readonly unknown[];
}

const EXPIRY_SHELF: Shelf<ExpiryPolicy, Row<'expiry_policy'>> = {
  name: 'expiry-policy',
  read: EXPIRY,
  fromRow: expiryFromRow,
  write: SET_EXPIRY,
  columns: (policy) => [
    policy.mode,
    policy.grace,
    policy.graceMs,
    policy.includeNeverRenewed,
    JSON.stringify(policy.quietHours),
    policy.paused,
    policy.maxInFlight,
  ],
};

const RENEWAL_SHELF: Shelf<RenewalPolicy, Row<'renewal_policy'>> = {
  name: 'renewal-policy',
  read: RENEWAL,
  fromRow: renewalFromRow,
  write: SET_RENEWAL,
  columns: (policy) => [policy.complete, policy.withdrawLapsed],
};

async function kept<Policy, PolicyRow>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  provider: string,
): Promise<Kept<Policy>> {
  const [row] = await session.run(shelf.read, [provider]);
  return shelf.fromRow(row);
}

async function set<Policy extends object, PolicyRow>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  { provider, policy, bySubject, at, ifVersions }: PolicyChange<Policy>,
): Promise<PolicySet> {
  session.send(LOCK, [`${shelf.name} ${provider}`]);
  const before = await kept(session, shelf, provider);
  if (ifVersions !== undefined && !ifVersions.includes(before.version)) {
    return { isWritten: false, version: before.version };
  }
  const version = before.version + 1;
  session.send(shelf.write, [provider, version, ...shelf.columns(policy)]);
  const detail = JSON.stringify({ version, before: before.policy, after: policy });
  const reason = `version ${version} of the ${shelf.name.replace('-', ' ')}`;
  const subject = `policy:${shelf.name.replace('-policy', '')}`;
  session.send(AUDIT, [at, provider, bySubject, `set-${shelf.name}`, subject, reason, detail]);
  session.announce(ARRIVALS_CHANNEL, '');
  session.announce(TIMERS_CHANNEL, '');
  return { isWritten: true, version };
}

/** @param pool opened with `pipelined`; stays the caller's */
export function createPolicies(pool: Pool): Policies {
  const read = <Policy, PolicyRow>(shelf: Shelf<Policy, PolicyRow>, provider: string, io: Io) =>
    onConnection(pool, io, (session) => kept(session, shelf, provider));
  return {
    expiry: (provider, io) => read(EXPIRY_SHELF, provider, io),
    renewal: (provider, io) => read(RENEWAL_SHELF, provider, io),
    setExpiry: (change, io) => transact(pool, io, (session) => set(session, EXPIRY_SHELF, change)),
    setRenewal: (change, io) =>
      transact(pool, io, (session) => set(session, RENEWAL_SHELF, change)),
  };
}
