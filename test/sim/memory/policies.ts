import type {
  Kept,
  Policies,
  PolicyChange,
  PolicyDelays,
  PolicySet,
  PolicyUndo,
  PolicyUndone,
} from '../../../src/app/ports/policies.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { PolicyName } from '../../../src/domain/automatic.ts';
import type { ExpiryPolicy, LifecycleHold } from '../../../src/domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import type { Party } from '../../../src/domain/ids.ts';
import type { RenewalPolicy } from '../../../src/domain/renewal-policy.ts';
import { DEFAULT_RENEWAL_POLICY } from '../../../src/domain/renewal-policy.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import type { PolicyRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import type { Table } from './table.ts';
import type { Tables } from './tables.ts';

/*
 * Providers' policies and their delays, stored as in `src/store/policies/policies.ts`. The simulation stores no audit
 * log of policies.
 */

/** See `Tx.policyVersion`. */
export async function holdPolicyVersion(
  tx: ServerTransaction,
  name: PolicyName,
  provider: Party,
): Promise<number> {
  const { expiryPolicies, renewalPolicies } = tx.tables;
  const table = name === 'expiry' ? expiryPolicies : renewalPolicies;
  if (table.get(tx, provider) === undefined) return 0;
  const blocked = tx.lock(table, provider, 'share');
  if (blocked !== undefined) await blocked;
  const row = table.get(tx, provider);
  if (row === undefined || (row.pending?.startsAtMs ?? 0) > tx.beganAtMs) return 0;
  return row.version;
}

/** The table for one kind of policy: see `Shelf` in the real store. */
interface Shelf<Policy> {
  readonly table: Table<PolicyRow<Policy>>;
  readonly unset: Policy;
  readonly held: (policy: Policy) => Policy;
}

const expiryShelf = ({ expiryPolicies: table }: Tables): Shelf<ExpiryPolicy> => ({
  table,
  unset: DEFAULT_EXPIRY_POLICY,
  held: (policy) => ({ ...policy, paused: true }),
});

const renewalShelf = ({ renewalPolicies: table }: Tables): Shelf<RenewalPolicy> => ({
  table,
  unset: DEFAULT_RENEWAL_POLICY,
  held: () => DEFAULT_RENEWAL_POLICY,
});

function keptIn<Policy>(
  row: PolicyRow<Policy> | undefined,
  unset: Policy,
  nowMs: number,
): Kept<Policy> {
  if (row === undefined) return { policy: unset, version: 0, startsInMs: null };
  const { policy, version, pending } = row;
  if (pending === null) return { policy, version, startsInMs: null };
  return { policy: pending.policy, version, startsInMs: pending.startsAtMs - nowMs };
}

async function locked<Policy>(
  tx: ServerTransaction,
  { table, unset }: Shelf<Policy>,
  provider: Party,
): Promise<{ readonly row: PolicyRow<Policy> | undefined; readonly before: Kept<Policy> }> {
  const blocked = tx.lock(table, provider);
  if (blocked !== undefined) await blocked;
  const row = table.get(tx, provider);
  return { row, before: keptIn(row, unset, tx.server.now()) };
}

/**
 * Writes the next version. If a version has no confirmation, the rest of the previous version's delay applies to it.
 */
async function write<Policy>(
  tx: ServerTransaction,
  { table, held }: Shelf<Policy>,
  before: Kept<Policy>,
  provider: Party,
  policy: Policy,
  confirmedMs?: number,
): Promise<number> {
  const version = before.version + 1;
  const nowMs = tx.server.now();
  const leftMs = Math.max(before.startsInMs ?? 0, 0);
  const waitMs = Math.max(leftMs, confirmedMs ?? 0);
  const pending = {
    policy,
    previous: confirmedMs === undefined ? null : before.policy,
    startsAtMs: nowMs + waitMs,
    previousStartsAtMs: leftMs > 0 ? nowMs + leftMs : null,
  };
  const row =
    waitMs > 0
      ? { provider, policy: held(policy), version, pending }
      : { provider, policy, version, pending: null };
  await tx.upsert(table, row, () => row);
  return version;
}

async function set<Policy>(
  tx: ServerTransaction,
  shelf: Shelf<Policy>,
  { provider, policy, ifVersions, confirmed }: PolicyChange<Policy>,
): Promise<PolicySet> {
  const { before } = await locked(tx, shelf, provider);
  if (ifVersions?.includes(before.version) === false) {
    return { isWritten: false, version: before.version };
  }
  const version = await write(tx, shelf, before, provider, policy, confirmed?.delayMs);
  return { isWritten: true, version };
}

async function undo<Policy>(
  tx: ServerTransaction,
  shelf: Shelf<Policy>,
  { provider, version }: PolicyUndo,
): Promise<PolicyUndone> {
  const { row, before } = await locked(tx, shelf, provider);
  if (before.version !== version) return { end: 'changed', version: before.version };
  const pending = row?.pending ?? null;
  if (pending === null || pending.startsAtMs <= tx.server.now() || pending.previous === null) {
    return { end: 'over', version };
  }
  const { previous, previousStartsAtMs: startsAtMs } = pending;
  const startsInMs = startsAtMs === null ? null : startsAtMs - tx.server.now();
  const undone = await write(tx, shelf, { ...before, startsInMs }, provider, previous);
  return { end: 'undone', version: undone };
}

async function start<Policy>(
  tx: ServerTransaction,
  shelf: Shelf<Policy>,
  provider: Party,
): Promise<void> {
  const { row } = await locked(tx, shelf, provider);
  const pending = row?.pending ?? null;
  if (row === undefined || pending === null || pending.startsAtMs > tx.server.now()) return;
  const started = { ...row, policy: pending.policy, pending: null };
  await tx.upsert(shelf.table, started, () => started);
}

const SUSPENDED: LifecycleHold = { isSuspended: true, trialUntilMs: null, graceMs: 0 };

export function createPolicies(connection: Connection): Policies & Pick<PolicyDelays, 'undo'> {
  const { server } = connection;
  const kept = <Policy>({ table, unset }: Shelf<Policy>, provider: Party): Kept<Policy> =>
    keptIn(table.get(null, provider), unset, server.now());
  const written = <Done>(
    io: Io,
    call: string,
    isWritten: (done: Done) => boolean,
    work: (tx: ServerTransaction) => Promise<Done>,
  ): Promise<Done> =>
    transact(
      connection,
      io,
      async (session) => {
        const done = await session.run(call, work);
        if (isWritten(done)) session.announce({ changes: [], effects: false, timers: true });
        return done;
      },
      { call },
    );
  const setIn = <Policy>(shelf: (tables: Tables) => Shelf<Policy>) => {
    const isSet = ({ isWritten }: PolicySet): boolean => isWritten;
    return (change: PolicyChange<Policy>, io: Io): Promise<PolicySet> =>
      written(io, 'policies.set', isSet, (tx) => set(tx, shelf(tx.tables), change));
  };
  return {
    holds: (ids, io) =>
      query(connection, io, 'policies.holds', () => {
        const { subscriptions } = server.tables;
        const held = ids.filter((id) => subscriptions.get(null, id)?.isSuspended === true);
        return new Map(held.map((id) => [id, SUSPENDED]));
      }),
    expiry: (provider, io) =>
      query(connection, io, 'policies.expiry', () => kept(expiryShelf(server.tables), provider)),
    renewal: (provider, io) =>
      query(connection, io, 'policies.renewal', () => kept(renewalShelf(server.tables), provider)),
    setExpiry: setIn(expiryShelf),
    setRenewal: setIn(renewalShelf),
    undo: (change, io) =>
      written(
        io,
        'policies.undo',
        ({ end }) => end === 'undone',
        (tx) =>
          change.name === 'expiry'
            ? undo(tx, expiryShelf(tx.tables), change)
            : undo(tx, renewalShelf(tx.tables), change),
      ),
    start: (provider, io) =>
      written(
        io,
        'policies.start',
        () => false,
        async (tx) => {
          await start(tx, expiryShelf(tx.tables), provider);
          await start(tx, renewalShelf(tx.tables), provider);
        },
      ),
  };
}
