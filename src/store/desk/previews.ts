import type { Pool } from 'pg';
import type { PreviewedAct, Previews } from '../../app/ports/previews.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const FORGET = statement<never>(
  'forget-previewed-acts',
  `delete from preview where expires_at < now()`,
);

const REMEMBER = statement<never>(
  'remember-previewed-act',
  `insert into preview (token_hash, act, digest, count, by_party, by_subject, tenant_id, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond')`,
);

const USE = statement<{ count: number }>(
  'use-previewed-act',
  `delete from preview
   where token_hash = $1 and act = $2 and digest = $3 and by_party = $4 and by_subject = $5 and tenant_id = $6
     and expires_at > now()
   returning count`,
);

/** Attempts without `over_at` are not counted, because they were never sent. */
const UNDECIDED_AT = statement<{ operations: bigint }>(
  'undecided-at-participant',
  `select count(distinct a.change_id) as operations
   from attempt a join change c on c.id = a.change_id
   where a.participant = $1 and a.over_at is not null and a.proven_at is null
     and coalesce(a.verdict, 'unknown') = 'unknown' and c.finished_at is null`,
);

const ENDS_WITH = statement<{ sessions: bigint; webhooks: bigint; acts: bigint }>(
  'ends-with-tenant',
  `select (select count(*) from session where registered_tenant = $1) as sessions,
          (select count(*) from webhook where tenant_id = $1) as webhooks,
          (select count(*) from bulk_act where tenant_id = $1 and state = 'running') as acts`,
);

const whose = ({ by }: PreviewedAct) => [by.party, by.subject, by.tenantId];

/** @param pool opened with `pipelined`; the caller closes it */
export const createPreviews = (pool: Pool): Previews => ({
  remember: (preview, io) =>
    transact(pool, io, async (session) => {
      session.send(FORGET, []);
      const { tokenHash, act, digest, count, expiresInMs } = preview;
      await session.run(REMEMBER, [tokenHash, act, digest, count, ...whose(preview), expiresInMs]);
    }),
  use: (act, io) =>
    transact(pool, io, async (session) => {
      const of = [act.tokenHash, act.act, act.digest, ...whose(act)];
      const [row] = await session.run(USE, of);
      return row?.count ?? null;
    }),
  async undecidedAt(participant, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(UNDECIDED_AT, [participant]),
    );
    return Number(row?.operations ?? 0n);
  },
  async endsWith(tenantId, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(ENDS_WITH, [tenantId]));
    return {
      sessions: Number(row?.sessions ?? 0n),
      webhooks: Number(row?.webhooks ?? 0n),
      bulkActs: Number(row?.acts ?? 0n),
    };
  },
});
