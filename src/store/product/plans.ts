import type { Pool } from 'pg';
import type { PlanChanged, Plans, TermsToKeep } from '../../app/ports/plans.ts';
import type { Actor } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Plan, PlanVersion } from '../../domain/plan.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sendCall } from '../engine/audit.ts';
import type { Session } from '../sql/session.ts';
import { membersOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const version = membersOf('v', ['version', 'terms', 'created_at', 'archived_at']);
const PLANS = `select p.id, p.revision, ${version}
   from plan p join plan_version v on v.provider = p.provider and v.plan_id = p.id and v.version = p.version`;

const ADD = statement<{ id: string }>(
  'add-plan',
  `insert into plan (provider, id, version) values ($1, $2, 1)
   on conflict (provider, id) do nothing returning id`,
);

const HOLD = statement<{ version: number; revision: number }>(
  'hold-plan',
  'select version, revision from plan where provider = $1 and id = $2 for no key update',
);

/** SQL: the price that terms contain. */
const priceOf = (terms: string): string =>
  `array[${terms} ->> 'fee', ${terms} ->> 'instrument', ${terms} ->> 'period']`;

/**
 * Adds a version of a plan. If its price differs, the announcement starts with the first subscription. Otherwise an
 * unfinished announcement of the previous version continues with the new version.
 */
const ADD_VERSION = statement<never>(
  'add-plan-version',
  `insert into plan_version (provider, plan_id, version, terms, trial_ms, grace_ms, offer_before_ms, announced_after)
   select $1, $2, $3::integer, $4::jsonb, $5::bigint, $6::bigint, $7::bigint, (
     select case when ${priceOf('b.terms')} <> ${priceOf('$4::jsonb')} then '' else b.announced_after end
     from plan_version b where b.provider = $1 and b.plan_id = $2 and b.version = $3::integer - 1)`,
);

const MOVE = statement<never>(
  'move-plan',
  `update plan set version = $3, revision = revision + 1, archived_at = case when $4 then now() end
   where provider = $1 and id = $2`,
);

/** Archives the newest version of a plan together with the plan, or restores both. */
const ARCHIVE_VERSION = statement<never>(
  'archive-plan-version',
  `update plan_version set archived_at = case when $4 then coalesce(archived_at, now()) end
   where provider = $1 and plan_id = $2 and version = $3`,
);

const BY_ID = statement<Plan>('plan', `${PLANS} where p.provider = $1 and p.id = $2`);

const LIST = statement<Plan>(
  'plans',
  `${PLANS} where p.provider = $1 and ($2 or p.archived_at is null) and ($3::text is null or p.id > $3)
   order by p.id limit $4`,
);

const VERSIONS = statement<PlanVersion>(
  'plan-versions',
  `select ${version} from plan_version v where v.provider = $1 and v.plan_id = $2
     and v.version <= coalesce($3::integer, v.version)
   order by v.version desc limit ${LIMITS.listChunk}`,
);

async function found(session: Session, id: string, provider: string): Promise<Plan | null> {
  const [row] = await session.run(BY_ID, [provider, id]);
  return row ?? null;
}

const told = (session: Session, by: Actor, what: string, id: string, detail: JsonRecord): void =>
  sendCall(session, by, `plan-${what}`, `plan:${id}`, detail);

function addVersion(
  session: Session,
  { party }: Actor,
  id: string,
  number: number,
  { terms, trialMs, graceMs, offerBeforeMs }: TermsToKeep,
): void {
  const times = [trialMs, graceMs, offerBeforeMs];
  session.send(ADD_VERSION, [party, id, number, JSON.stringify(terms), ...times]);
}

/** Locks the plan until the commit, so that version numbers have no gaps and only one version is the newest. */
async function changed(
  session: Session,
  id: string,
  by: Actor,
  ifRevisions: readonly number[] | undefined,
  change: (version: number) => void,
): Promise<PlanChanged> {
  const [held] = await session.run(HOLD, [by.party, id]);
  if (held === undefined) return null;
  if (ifRevisions?.includes(held.revision) === false) return { isAt: held.revision };
  change(held.version);
  return found(session, id, by.party);
}

/** @param pool opened with `pipelined`; the caller closes it */
export const createPlans = (pool: Pool): Plans => ({
  add: (id, kept, by, io) =>
    transact(pool, io, async (session) => {
      const [row] = await session.run(ADD, [by.party, id]);
      if (row === undefined) return null;
      addVersion(session, by, id, 1, kept);
      told(session, by, 'added', id, { version: 1, terms: { ...kept.terms } });
      return found(session, id, by.party);
    }),
  change: (id, kept, by, ifRevisions, io) =>
    transact(pool, io, (session) =>
      changed(session, id, by, ifRevisions, (before) => {
        session.send(ARCHIVE_VERSION, [by.party, id, before, true]);
        addVersion(session, by, id, before + 1, kept);
        session.send(MOVE, [by.party, id, before + 1, false]);
        told(session, by, 'changed', id, { version: before + 1, terms: { ...kept.terms } });
      }),
    ),
  archive: (id, isArchived, by, ifRevisions, io) =>
    transact(pool, io, (session) =>
      changed(session, id, by, ifRevisions, (newest) => {
        session.send(ARCHIVE_VERSION, [by.party, id, newest, isArchived]);
        session.send(MOVE, [by.party, id, newest, isArchived]);
        told(session, by, isArchived ? 'archived' : 'restored', id, { version: newest });
      }),
    ),
  byId: (id, provider, io) => onConnection(pool, io, (session) => found(session, id, provider)),
  async list({ provider, withArchived, after, limit }, io) {
    const values = [provider, withArchived, after ?? null, limit];
    return onConnection(pool, io, (session) => session.run(LIST, values));
  },
  async *versions(id, provider, io, from) {
    for (let next = from; ;) {
      const values = [provider, id, next ?? null];
      const rows = await onConnection(pool, io, (session) => session.run(VERSIONS, values));
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < LIMITS.listChunk) return;
      next = last.version - 1;
    }
  },
});
