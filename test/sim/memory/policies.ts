import type { Kept, Policies, PolicyChange, PolicySet } from '../../../src/app/ports/policies.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { PolicyName } from '../../../src/domain/automatic.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { DEFAULT_RENEWAL_POLICY } from '../../../src/domain/renewal-policy.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import type { PolicyRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import type { Table } from './table.ts';

/* Providers' policies as `src/store/policies/policies.ts` keeps them; what is done to them is audited there alone. */

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
  return table.get(tx, provider)?.version ?? 0;
}

async function set<Policy>(
  connection: Connection,
  table: Table<PolicyRow<Policy>>,
  { provider, policy, ifVersions }: PolicyChange<Policy>,
  io: Io,
): Promise<PolicySet> {
  const call = 'policies.set';
  const work = async (tx: ServerTransaction): Promise<PolicySet> => {
    const blocked = tx.lock(table, provider);
    if (blocked !== undefined) await blocked;
    const version = table.get(tx, provider)?.version ?? 0;
    if (ifVersions?.includes(version) === false) return { isWritten: false, version };
    const row = { provider, policy, version: version + 1, startsInMs: null };
    await tx.upsert(table, row, () => row);
    return { isWritten: true, version: row.version };
  };
  return transact(
    connection,
    io,
    async (session) => {
      const done = await session.run(call, work);
      if (done.isWritten) session.announce({ changes: [], effects: false, timers: true });
      return done;
    },
    { call },
  );
}

export function createPolicies(connection: Connection): Policies {
  const { expiryPolicies, renewalPolicies } = connection.server.tables;
  const kept = <Policy>(
    table: Table<PolicyRow<Policy>>,
    provider: Party,
    unset: Policy,
  ): Kept<Policy> => {
    const { policy = unset, version = 0 } = table.get(null, provider) ?? {};
    return { policy, version, startsInMs: null };
  };
  return {
    holds: async () => new Map(),
    expiry: (provider, io) =>
      query(connection, io, 'policies.expiry', () =>
        kept(expiryPolicies, provider, DEFAULT_EXPIRY_POLICY),
      ),
    renewal: (provider, io) =>
      query(connection, io, 'policies.renewal', () =>
        kept(renewalPolicies, provider, DEFAULT_RENEWAL_POLICY),
      ),
    setExpiry: (change, io) => set(connection, expiryPolicies, change, io),
    setRenewal: (change, io) => set(connection, renewalPolicies, change, io),
    // No policy is confirmed here, so no policy waits for its start.
    start: () => Promise.resolve(),
  };
}
