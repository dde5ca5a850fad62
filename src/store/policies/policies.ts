import type { Pool } from 'pg';
import type {
  Kept,
  PendingPolicy,
  Policies,
  PolicyChange,
  PolicyConfirmation,
  PolicyDelays,
  PolicySet,
  PolicyUndo,
  PolicyUndone,
} from '../../app/ports/policies.ts';
import type { PolicyName } from '../../domain/automatic.ts';
import type { ExpiryPolicy } from '../../domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../domain/expiry-policy.ts';
import type { Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import { DEFAULT_RENEWAL_POLICY } from '../../domain/renewal-policy.ts';
import { TOLD_OF_AUDIT } from '../rows/audit-row.ts';
import { ARRIVALS_CHANNEL, TIMERS_CHANNEL } from '../sql/channels.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { readHolds } from './holds.ts';
import { readReach } from './policy-reach.ts';

/**
 * SQL: joins the pending policy. A pending row of another version is ignored, because a process of an earlier version
 * of Tenure has set the policy since.
 */
const PENDING = (name: PolicyName): string =>
  `left join pending_policy p on p.provider = e.provider and p.name = '${name}' and p.version = e.version`;

interface PendingColumns {
  readonly pending: JsonRecord | null;
  readonly starts_in_ms: number | null;
}

const read = (name: PolicyName, more = ''): string =>
  `select e.*, ${more} p.policy as pending,
     (extract(epoch from p.starts_at - clock_timestamp()) * 1000)::float8 as starts_in_ms
   from ${name}_policy e ${PENDING(name)} where e.provider = $1`;

/**
 * Locks the policy for a transaction that acts on it, so that a transaction that changes the policy waits. A version
 * that has not started yet counts as version 0, on which no transaction acts.
 */
const hold = (name: PolicyName): Statement<{ version: number }> =>
  statement<{ version: number }>(
    `hold-${name}-policy`,
    `select case when p.starts_at > now() then 0 else e.version end as version
     from ${name}_policy e ${PENDING(name)} where e.provider = $1 for share of e`,
  );
const HOLD: Readonly<Record<PolicyName, Statement<{ version: number }>>> = {
  expiry: hold('expiry'),
  renewal: hold('renewal'),
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

/** This is an advisory lock, because a policy that is set for the first time has no row to lock. */
const LOCK = statement<never>(
  'lock-policies',
  `select pg_advisory_xact_lock(hashtextextended('policy ' || $1::text, 0))`,
);

/**
 * SQL: whether the policy includes suspended lifecycles. Not if a process of a version of Tenure that does not know
 * suspensions has set the policy since.
 */
const INCLUDES_SUSPENDED = `exists (
  select from expiry_policy_suspended s where s.provider = e.provider and s.version = e.version
) as include_suspended,`;

type ExpiryRow = Row<'expiry_policy'> & { readonly include_suspended: boolean };

const SET_EXPIRY = statement<never>(
  'set-expiry-policy',
  `with suspended as (
     insert into expiry_policy_suspended (provider, version) select $1, $2 where $10::boolean
     on conflict (provider) do update set version = excluded.version
   )
   insert into expiry_policy (provider, version, mode, grace, grace_ms, include_never_renewed, quiet_hours, paused,
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

const KEEP_PENDING = statement<never>(
  'keep-pending-policy',
  `insert into pending_policy (provider, name, version, policy, previous, by_subject, reason, count, starts_at,
                               previous_starts_at)
   values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7, $8, clock_timestamp() + $9 * interval '1 millisecond',
           clock_timestamp() + $10 * interval '1 millisecond')`,
);

const FORGET_PENDING = statement<never>(
  'forget-pending-policy',
  'delete from pending_policy where provider = $1 and name = $2',
);

const PENDING_OF = statement<
  Row<'pending_policy'> & {
    readonly starts_in_ms: number;
    readonly previous_starts_in_ms: number | null;
  }
>(
  'pending-policy',
  `select p.*, (extract(epoch from p.starts_at - clock_timestamp()) * 1000)::float8 as starts_in_ms,
     (extract(epoch from p.previous_starts_at - clock_timestamp()) * 1000)::float8 as previous_starts_in_ms
   from pending_policy p where p.provider = $1 and p.name = $2`,
);

const lockRow = (name: PolicyName): Statement<never> =>
  statement<never>(
    `lock-${name}-policy`,
    `select 1 from ${name}_policy where provider = $1 for no key update`,
  );
const LOCK_ROW: Readonly<Record<PolicyName, Statement<never>>> = {
  expiry: lockRow('expiry'),
  renewal: lockRow('renewal'),
};

/**
 * Counts the operations that succeeded under the replaced version. These are all firings accepted since that version
 * was set.
 */
const ENDED = statement<{ operations: bigint }>(
  'ended-by-policy',
  `select count(*) as operations from change c
   where c.policy = $1 and c.provider = $2 and c.outcome like '%:succeeded' and c.finished_at is not null
     and c.accepted_at >= coalesce(
       (select max(a.at) from audit a where a.subject = 'policy:' || $1 and a.of_party = $2), '-infinity')`,
);

const AUDIT = statement<never>(
  'audit-policy',
  `with recorded as (
   insert into audit (at, by_party, by_subject, act, subject, reason, detail, of_party)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $2)
   ${TOLD_OF_AUDIT}`,
);

const expiryFromRow = (row: ExpiryRow): ExpiryPolicy => ({
  mode: row.mode,
  grace: row.grace,
  graceMs: Number(row.grace_ms),
  includeNeverRenewed: row.include_never_renewed,
  ...(row.include_suspended ? { includeSuspended: true } : {}),
  quietHours: row.quiet_hours,
  paused: row.paused,
  maxInFlight: row.max_in_flight,
});

/** The statements and conversions with which one kind of policy is read and written. */
interface Shelf<Policy, PolicyRow> {
  readonly name: PolicyName;
  readonly unset: Policy;
  readonly read: Statement<PolicyRow & PendingColumns>;
  readonly fromRow: (row: PolicyRow) => Policy;
  readonly write: Statement<never>;
  readonly columns: (policy: Policy) => readonly unknown[];
  /** Returns the policy that processes of earlier versions see until this one starts. That policy does nothing. */
  readonly held: (policy: Policy) => Policy;
}

const EXPIRY_SHELF: Shelf<ExpiryPolicy, ExpiryRow> = {
  name: 'expiry',
  unset: DEFAULT_EXPIRY_POLICY,
  read: statement('expiry-policy', read('expiry', INCLUDES_SUSPENDED)),
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
    policy.includeSuspended === true,
  ],
  held: (policy) => ({ ...policy, paused: true }),
};

const RENEWAL_SHELF: Shelf<RenewalPolicy, Row<'renewal_policy'>> = {
  name: 'renewal',
  unset: DEFAULT_RENEWAL_POLICY,
  read: statement('renewal-policy', read('renewal')),
  fromRow: (row) => ({ complete: row.complete, withdrawLapsed: row.withdraw_lapsed }),
  write: SET_RENEWAL,
  columns: (policy) => [policy.complete, policy.withdrawLapsed],
  held: () => DEFAULT_RENEWAL_POLICY,
};

async function kept<Policy, PolicyRow extends { readonly version: number }>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  provider: string,
): Promise<Kept<Policy>> {
  const [row] = await session.run(shelf.read, [provider]);
  if (row === undefined) return { policy: shelf.unset, version: 0, startsInMs: null };
  const policy = (row.pending as Policy | null) ?? shelf.fromRow(row);
  return { policy, version: row.version, startsInMs: row.starts_in_ms };
}

/** Locks the policy: until the commit, no other transaction can change it. */
const lock = (session: Session, name: PolicyName, provider: string): void =>
  session.send(LOCK, [`${name}-policy ${provider}`]);

/** The author of a version, and the reason that the author gives. */
type Writing = Pick<PolicyUndo, 'provider' | 'bySubject' | 'at'> & {
  readonly act: string;
  readonly reason: string;
};

/**
 * Writes the next version. A version that needs no confirmation starts only when the previous version would have
 * started, because that one was confirmed with a delay.
 */
async function write<Policy extends object, PolicyRow>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  before: Kept<Policy>,
  policy: Policy,
  { provider, bySubject, at, act, reason }: Writing,
  confirmed?: PolicyConfirmation,
): Promise<number> {
  const { name } = shelf;
  const version = before.version + 1;
  const leftMs = Math.max(before.startsInMs ?? 0, 0);
  const waitMs = Math.max(leftMs, confirmed?.delayMs ?? 0);
  const inRow = waitMs > 0 ? shelf.held(policy) : policy;
  session.send(shelf.write, [provider, version, ...shelf.columns(inRow)]);
  const [ended] = await session.run(ENDED, [name, provider]);
  session.send(FORGET_PENDING, [provider, name]);
  if (waitMs > 0) {
    const previous = confirmed === undefined ? null : JSON.stringify(before.policy);
    const who = [bySubject, reason, confirmed?.ends.ever ?? 0];
    const what = [name, version, JSON.stringify(policy), previous];
    session.send(KEEP_PENDING, [provider, ...what, ...who, waitMs, leftMs > 0 ? leftMs : null]);
  }
  const detail = {
    version,
    before: before.policy,
    after: policy,
    ended: { version: before.version, operations: Number(ended?.operations ?? 0n) },
    ...(confirmed === undefined ? {} : { ends: confirmed.ends, delayMs: confirmed.delayMs }),
  };
  session.send(AUDIT, [
    at,
    provider,
    bySubject,
    act,
    `policy:${name}`,
    reason,
    JSON.stringify(detail),
  ]);
  session.announce(ARRIVALS_CHANNEL, '');
  session.announce(TIMERS_CHANNEL, '');
  return version;
}

async function set<Policy extends object, PolicyRow extends { readonly version: number }>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  { provider, policy, bySubject, at, ifVersions, confirmed }: PolicyChange<Policy>,
): Promise<PolicySet> {
  const { name } = shelf;
  lock(session, name, provider);
  const before = await kept(session, shelf, provider);
  if (ifVersions !== undefined && !ifVersions.includes(before.version)) {
    return { isWritten: false, version: before.version };
  }
  const reason = confirmed?.reason ?? `version ${before.version + 1} of the ${name} policy`;
  const writing = { provider, bySubject, at, act: `set-${name}-policy`, reason };
  const version = await write(session, shelf, before, policy, writing, confirmed);
  return { isWritten: true, version };
}

async function undo<Policy extends object, PolicyRow extends { readonly version: number }>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  { name, provider, version, bySubject, reason, at }: PolicyUndo,
): Promise<PolicyUndone> {
  lock(session, name, provider);
  // Once this row is locked, all transactions that acted on the policy have ended.
  await session.run(LOCK_ROW[name], [provider]);
  const before = await kept(session, shelf, provider);
  if (before.version !== version) return { end: 'changed', version: before.version };
  const [pending] = await session.run(PENDING_OF, [provider, name]);
  const isWaiting = pending?.version === version && pending.starts_in_ms > 0;
  const previous = isWaiting ? (pending.previous as Policy | null) : null;
  if (previous === null) return { end: 'over', version };
  const writing = { provider, bySubject, at, act: `undo-${name}-policy`, reason };
  // The previous policy starts when it would have started without the version that is undone.
  const undone = { ...before, startsInMs: pending?.previous_starts_in_ms ?? null };
  return { end: 'undone', version: await write(session, shelf, undone, previous, writing) };
}

async function start<Policy, PolicyRow extends { readonly version: number }>(
  session: Session,
  shelf: Shelf<Policy, PolicyRow>,
  provider: Party,
): Promise<void> {
  lock(session, shelf.name, provider);
  const { policy, version, startsInMs } = await kept(session, shelf, provider);
  if (startsInMs === null || startsInMs > 0) return;
  session.send(shelf.write, [provider, version, ...shelf.columns(policy)]);
  session.send(FORGET_PENDING, [provider, shelf.name]);
}

async function pendingOf(
  session: Session,
  name: PolicyName,
  provider: Party,
): Promise<PendingPolicy | null> {
  const [row] = await session.run(PENDING_OF, [provider, name]);
  if (row === undefined || row.starts_in_ms <= 0) return null;
  return {
    version: row.version,
    bySubject: row.by_subject,
    reason: row.reason,
    count: row.count,
    canUndo: row.previous !== null,
    startsAt: row.starts_at,
    startsInMs: row.starts_in_ms,
  };
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createPolicies(pool: Pool): Policies & PolicyDelays {
  return {
    expiry: (provider, io) =>
      onConnection(pool, io, (session) => kept(session, EXPIRY_SHELF, provider), 'by-key'),
    renewal: (provider, io) =>
      onConnection(pool, io, (session) => kept(session, RENEWAL_SHELF, provider), 'by-key'),
    setExpiry: (change, io) => transact(pool, io, (session) => set(session, EXPIRY_SHELF, change)),
    setRenewal: (change, io) =>
      transact(pool, io, (session) => set(session, RENEWAL_SHELF, change)),
    holds: (ids, io) => onConnection(pool, io, (session) => readHolds(session, ids)),
    start: (provider, io) =>
      transact(pool, io, async (session) => {
        await start(session, EXPIRY_SHELF, provider);
        await start(session, RENEWAL_SHELF, provider);
      }),
    pending: (name, provider, io) =>
      onConnection(pool, io, (session) => pendingOf(session, name, provider)),
    undo: (change, io) =>
      transact(pool, io, (session) =>
        change.name === 'expiry'
          ? undo(session, EXPIRY_SHELF, change)
          : undo(session, RENEWAL_SHELF, change),
      ),
    reach: (query, io) => readReach(pool, query, io),
  };
}
