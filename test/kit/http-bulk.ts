import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { BulkActs } from '../../src/app/desk/bulk-acts.ts';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import { workBulk } from '../../src/ops/bulk-duty.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { IO, PROVIDER } from './http-api.ts';
import type { Ask } from './http-ask.ts';
import { asking } from './http-ask.ts';
import type { ContractsWorld } from './http-contracts.ts';
import { startContractsWorld } from './http-contracts.ts';
import { REFUSAL } from './ledger-stand-in.ts';

type Reply = Awaited<ReturnType<Ask['get']>>;

export const ASYNC = { prefer: 'respond-async' };

export const codeOf = (reply: Reply) => [reply.statusCode, reply.json().code];

/** The body of an act on all creations of licences on an install. */
export const onLane = (action: string, install: string, more: object = {}) => ({
  action,
  filter: { lifecycleId: install, operation: ['create-license'] },
  ...more,
});

/**
 * Inserts a bulk act that affects no operation, or the preview of such an act, directly into the table. Returns its ID.
 */
export async function storedAct(
  pool: Pool,
  tenantId: string,
  party: string,
  state: 'previewed' | 'running',
): Promise<string> {
  const { rows } = await pool.query(
    `insert into bulk_act (id, action, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state, count,
                           token_hash, expires_at, applied_at)
     select gen_random_uuid(), 'cancel', 'caller', '{}', 'because', $2, 'tina', 'Tina', $1, $3, 0,
            case $3 when 'previewed' then 'hash' end, now() + interval '1 h',
            case $3 when 'running' then now() end
     returning id`,
    [tenantId, party, state],
  );
  return String(rows[0].id);
}

/** A server with two operators of the provider; the test itself holds the lease of the clock. */
export interface BulkWorld extends ContractsWorld {
  readonly operator: Ask;
  readonly other: Ask;
  readonly epoch: bigint;
}

export async function startBulkWorld(): Promise<BulkWorld> {
  const world = await startContractsWorld();
  const as = (name: string) =>
    asking(world.api, PROVIDER, { claims: { sub: name, roles: ['operator'], name } });
  const [operator, other] = await Promise.all([as('olga'), as('oskar')]);
  const leases = createLeases(world.api.pool);
  const epoch = (await leases.acquire(SCHEDULER_LEASE, 'test', 600_000, IO)) ?? 0n;
  return { ...world, operator, other, epoch };
}

/** Makes installs, each with creations of licences that wait in its lane. */
function lanesOf(world: () => BulkWorld) {
  async function fresh(): Promise<string> {
    world().follow();
    const install = await world().installed();
    await world().pause();
    return install;
  }
  /** Records creations of licences on one install, none of which has been submitted. */
  async function waiting(
    count: number,
    on?: string,
  ): Promise<{ readonly install: string; readonly ids: readonly string[] }> {
    const install = on ?? (await fresh());
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const url = `/app-installs/${install}:create-license?commandId=${world().id('create')}`;
      ids.push((await world().provider.post(url, { params: {} }, ASYNC)).json().id);
    }
    return { install, ids };
  }
  /** Records creations of licences that the ledger has refused. */
  async function refused(count: number) {
    const made = await waiting(count);
    for (let i = 0; i < count; i += 1) expect(await world().api.ledger.step(REFUSAL)).toBe(1);
    return made;
  }
  return { fresh, waiting, refused };
}

/** Returns helpers for tests of bulk acts. The helpers call `world` each time, because it may not exist yet. */
export function bulkActsOf(world: () => BulkWorld) {
  const preview = (body: object, by = world().operator): Promise<Reply> =>
    by.post('/ops/operations:preview', { reason: 'because', ...body });
  const apply = (token: string, count: number, by = world().operator): Promise<Reply> =>
    by.post('/ops/operations:apply', { token, count });
  const clock = (over: Partial<BulkActs> = {}) => ({
    ...world().api.deps,
    acts: { ...world().api.deps.bulkActs, ...over },
    log: world().api.deps.log,
    random: () => 1,
    itemsPerSecond: 1_000,
  });
  const seen = async (id: string) => (await world().operator.get(`/ops/operations/${id}`)).json();
  return {
    ...lanesOf(world),
    seen,
    states: (ids: readonly string[]): Promise<readonly string[]> =>
      Promise.all(ids.map(async (id) => (await seen(id)).state)),
    actOf: async (id: string) => (await world().operator.get(`/ops/acts/${id}`)).json(),
    preview,
    apply,
    applied: async (body: object): Promise<string> => {
      const { token, count } = (await preview(body)).json();
      const reply = await apply(token, count);
      expect(reply.statusCode).toBe(202);
      return reply.json().id;
    },
    clock,
    work: (
      limit = 100,
      over: Partial<BulkActs> = {},
      by: bigint = world().epoch,
    ): Promise<number> => workBulk(clock(over), by, limit, new Map(), IO),
  };
}
