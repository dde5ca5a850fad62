import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { TenantAdded, TenantRemoved, Tenants } from '../../app/ports/tenants.ts';
import type { Actor } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { sendCall } from '../engine/audit.ts';
import { STORE_LIMITS } from '../limits.ts';
import { deleteInParts } from '../sql/parts.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

interface TenantRow {
  readonly tenant_id: string;
  readonly party: string;
  readonly wallet_url: string | null;
  readonly client_id: string | null;
  readonly issuer_url: string | null;
  readonly users: string[];
}

const COLUMNS = `t.tenant_id, t.party, t.wallet_url, t.client_id, t.issuer_url,
  array(select u.user_name from tenant_user u where u.tenant_id = t.tenant_id order by u.position) as users`;

const LIST = statement<TenantRow>(
  'tenants',
  `select ${COLUMNS} from tenant t order by t.tenant_id`,
);

const BY_ID = statement<TenantRow>(
  'tenant',
  `select ${COLUMNS} from tenant t where t.tenant_id = $1`,
);

/** Waits for concurrent registrations of the same ID, so that exactly one of them gets a row. */
const ADD = statement<{ tenant_id: string }>(
  'add-tenant',
  `insert into tenant (tenant_id, party, wallet_url, client_id, issuer_url) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id) do nothing returning tenant_id`,
);

const ADD_USERS = statement<{ user_name: string }>(
  'add-tenant-users',
  `insert into tenant_user (user_name, tenant_id, position)
   select u.user_name, $1, u.position from unnest($2::text[]) with ordinality as u(user_name, position)
   on conflict (user_name) do nothing returning user_name`,
);

/**
 * Only updates tenants that no person has registered, which the newest audit entry about the tenant shows. `$1` is the
 * tenant; the other parameters are its addresses.
 */
const READDRESS = statement<{ tenant_id: string }>(
  'readdress-tenant',
  `update tenant t set wallet_url = $2, client_id = $3, issuer_url = $4
   where t.tenant_id = $1 and (t.wallet_url, t.client_id, t.issuer_url) is distinct from ($2, $3, $4)
     and coalesce((
       select a.act from audit a where a.subject = 'tenant:' || $1 order by a.at desc, a.id desc limit 1
     ), '') <> 'tenant-registered'
   returning t.tenant_id`,
);

/**
 * Deletes rows that end with a tenant and may be many. Runs before `REMOVE`, which deletes the rows that were added
 * since.
 */
const REMOVE_DELIVERIES = statement<{ id: string }>(
  'remove-deliveries-of-tenant',
  `delete from delivery d
   where d.id in (
     select o.id from webhook w join delivery o on o.webhook_id = w.id
     where w.tenant_id = $1 limit ${STORE_LIMITS.partMax})
   returning d.id`,
);
const REMOVE_SESSIONS = statement<{ tenant_id: string }>(
  'remove-sessions-of-tenant',
  `delete from session s
   where s.id_hash in (select o.id_hash from session o where o.registered_tenant = $1 limit ${STORE_LIMITS.partMax})
   returning s.tenant_id`,
);

const REMOVE = statement<Pick<TenantRow, 'party' | 'issuer_url'>>(
  'remove-tenant',
  'delete from tenant where tenant_id = $1 returning party, issuer_url',
);

const tenantFromRow = (row: TenantRow): Tenant => ({
  tenantId: row.tenant_id,
  party: trusted<Party>(row.party),
  walletUrl: row.wallet_url,
  clientId: row.client_id,
  issuerUrl: row.issuer_url,
  internal: false,
  users: row.users,
});

/** Aborts a registration and rolls back its transaction, so that a registration is stored as a whole or not at all. */
class NotAddedError extends Error {
  override readonly name = 'NotAddedError';
  readonly why: Exclude<TenantAdded, 'added'>;
  constructor(why: Exclude<TenantAdded, 'added'>) {
    super('the tenant is not registered');
    this.why = why;
  }
}

async function insert(session: Session, tenant: Tenant): Promise<void> {
  const { tenantId, party, walletUrl, clientId, issuerUrl, users } = tenant;
  const added = await session.run(ADD, [tenantId, party, walletUrl, clientId, issuerUrl]);
  if (added.length === 0) throw new NotAddedError('tenant-known');
  if (users.length === 0) return;
  const taken = await session.run(ADD_USERS, [tenantId, users]);
  const names = new Set(taken.map((row) => row.user_name));
  const known = users.find((user) => !names.has(user));
  if (known !== undefined) throw new NotAddedError({ userKnown: known });
}

const BY_CONSTRAINT: Readonly<Record<string, Exclude<TenantAdded, 'added'> | undefined>> = {
  tenant_pair: 'pair-known',
  tenant_registration: 'registration-known',
};

function whyNotAdded(error: unknown): Exclude<TenantAdded, 'added'> | undefined {
  if (error instanceof NotAddedError) return error.why;
  if (!(error instanceof Error) || !('constraint' in error)) return undefined;
  return BY_CONSTRAINT[String(error.constraint)];
}

/**
 * The outcome of {@link readdressTenant}. `kept`: the addresses are up to date, or a person has registered the tenant.
 */
export type Readdressed = 'renewed' | 'kept' | Exclude<TenantAdded, 'added'>;

/**
 * Updates the addresses of a tenant that Tenure itself has registered, because they may differ at each start.
 *
 * @param pool the caller closes it
 */
export async function readdressTenant(pool: Pool, tenant: Tenant, io: Io): Promise<Readdressed> {
  const { tenantId, walletUrl, clientId, issuerUrl } = tenant;
  try {
    const renewed = await transact(pool, io, (session) =>
      session.run(READDRESS, [tenantId, walletUrl, clientId, issuerUrl]),
    );
    return renewed.length === 0 ? 'kept' : 'renewed';
  } catch (error) {
    const why = whyNotAdded(error);
    if (why === undefined) throw error;
    return why;
  }
}

/**
 * The registered tenants, without those of the configuration.
 *
 * @param pool the caller closes it
 * @param stopActsOf stops the bulk acts of a tenant, in the transaction that removes the tenant
 */
export function createTenants(
  pool: Pool,
  stopActsOf: (session: Session, tenantId: string, by?: Actor) => Promise<void>,
): Tenants {
  return {
    list: async (io: Io): Promise<readonly Tenant[]> =>
      (await onConnection(pool, io, (session) => session.run(LIST))).map(tenantFromRow),
    async byId(tenantId: string, io: Io): Promise<Tenant | null> {
      const [row] = await onConnection(pool, io, (session) => session.run(BY_ID, [tenantId]));
      return row === undefined ? null : tenantFromRow(row);
    },
    async add(tenant, io, by): Promise<TenantAdded> {
      try {
        await transact(pool, io, async (session) => {
          await insert(session, tenant);
          const { tenantId, party, clientId, issuerUrl } = tenant;
          if (by === undefined) return;
          const detail = { party, clientId, issuerUrl };
          sendCall(session, by, 'tenant-registered', `tenant:${tenantId}`, detail);
        });
        return 'added';
      } catch (error) {
        const why = whyNotAdded(error);
        if (why === undefined) throw error;
        return why;
      }
    },
    async remove(tenantId, io, act): Promise<TenantRemoved> {
      await deleteInParts(pool, REMOVE_DELIVERIES, [tenantId], io);
      await deleteInParts(pool, REMOVE_SESSIONS, [tenantId], io);
      return transact(pool, io, async (session) => {
        const [row] = await session.run(REMOVE, [tenantId]);
        if (row === undefined) return 'unknown';
        const { party, issuer_url: issuerUrl } = row;
        if (act !== undefined) {
          const detail = { party, issuerUrl };
          sendCall(session, act.by, 'tenant-removed', `tenant:${tenantId}`, detail, act.reason);
        }
        await stopActsOf(session, tenantId, act?.by);
        return 'removed';
      });
    },
  };
}
