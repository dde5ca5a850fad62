import { sql } from 'kysely';
import type { BulkAction, BulkRequest } from '../../app/desk/bulk-acts.ts';
import type { DoubtDecision } from '../../app/desk/decide-doubt.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { LIMITS } from '../../domain/limits.ts';
import { meantChanges } from './change-search.ts';
import { build } from '../sql/query.ts';

/*
 * Judges, without locks, to which changes of a filter an action applies, and why it does not apply to the others. Each
 * change is judged again when the action is performed.
 */

const HAS_NOT_ENDED = `'the operation has not ended'`;

const WITHOUT_VERDICT = `coalesce(t.verdict, 'unknown') = 'unknown'`;

/**
 * SQL: whether an attempt of the change with alias `c` may still take effect. This is so until a stream reports the
 * time after which the attempt cannot take effect.
 */
const mayTakeEffect = (c: string): string => `exists (
  select from attempt t where t.change_id = ${c}.id and ${WITHOUT_VERDICT}
    and (t.over_at is null or t.over_at > coalesce(proven_time(${c}.participant), '-infinity')))`;

/** SQL: whether the ledger has accepted an attempt of the change, whatever the change's state. */
const hasTakenEffect = (c: string): string =>
  `exists (select from attempt t where t.change_id = ${c}.id and t.verdict = 'accepted')`;

/**
 * SQL: why the change cannot be retried once more. It depends on the state of the newest retry of the root, and on
 * whether any of the retries may have had an effect.
 */
const RETRIED = `(
  select case when r.newest = 'succeeded' then 'a retry of the operation has succeeded'
              when r.newest = 'in-doubt' then 'a retry of the operation is in doubt'
              when r.newest not in ('rejected', 'failed', 'cancelled') then 'a retry is in progress'
              when r.is_undecided then 'an attempt of a retry may take effect'
              when r.has_effect then 'the ledger has accepted a retry of the operation'
              when r.count >= ${LIMITS.retriesMax} then 'the operation has reached its limit of retries' end
  from change f cross join lateral (
    select count(*) as count, bool_or(${mayTakeEffect('n')}) as is_undecided, bool_or(${hasTakenEffect('n')}) as has_effect,
           (array_agg(n.state order by split_part(n.command_id, ':', 4)::integer desc))[1] as newest
    from change n
    where n.command_id = any(array(
      select 'tenure:retry:' || c.id || ':' || g from generate_series(1, ${LIMITS.retriesMax}) g))) r
  where f.command_id = 'tenure:retry:' || c.id || ':1' limit 1)`;

/**
 * SQL: whether every contract that the change may have ended was still active after the time from which none of its
 * attempts can take effect; see `standsPastBound`.
 */
const STANDS = `exists (
  select from lifecycle l cross join lateral (
    select bool_and(p.contract_id is not distinct from l.contract_id) as is_here, max(p.over_at) as over_at
    from (
      select t.contract_id, ${WITHOUT_VERDICT} as is_undecided, bool_or(${WITHOUT_VERDICT}) over () as is_any_undecided,
             coalesce(case when ${WITHOUT_VERDICT} then t.over_at else t.answered_at end, 'infinity') as over_at
      from attempt t where t.change_id = c.id) p
    where p.is_undecided or not p.is_any_undecided) a
  where l.id = c.lifecycle_id and l.ended_at is null and a.is_here and a.over_at <= proven_time(c.participant))`;

/**
 * SQL: whether an update carries the change's workflow ID. Only a decision about a single change examines who submitted
 * that update, and whether the update did what was requested.
 */
const CARRIED = `exists (select from ledger_update u where u.workflow_id = 'tenure-' || c.id)`;

/** SQL: refuses a decision of a tenant's operator about a change that acted as the provider; see `decideDoubt`. */
const ACTED_AS_PROVIDER = `when c.act_as <> c.caller_party then 'the operation acted as the provider, so only operators of the provider may decide it'`;

/**
 * `ending` lists the operations that end their contract, so that at most one attempt of each can take effect. Its
 * elements are constants and never input.
 */
type Asked = Pick<BulkRequest, 'decision'> & {
  readonly scope: OpsScope;
  readonly ending: readonly string[];
};
type Reason = (asked: Asked) => string;

const WITHOUT_EFFECT = `when c.accepted_update_id is not null and not c.accepted_read_back then 'the ledger has accepted the operation'
    when ${CARRIED} then 'an update has the workflow ID of the operation'
    when ${mayTakeEffect('c')} then 'an attempt of the operation may take effect'`;

/** SQL: reasons against a decision that contradicts the query store; see `decideDoubt`. */
const CONTRADICTED: Readonly<Record<DoubtDecision, (ending: readonly string[]) => string>> = {
  'took-effect': (
    ending,
  ) => `when c.operation = any(array[${ending.map((name) => `'${name}'`).join(', ')}]::text[]) and ${STANDS}
      then 'the contract of the operation is still active'`,
  'no-effect': () => WITHOUT_EFFECT,
  'submit-again': () => WITHOUT_EFFECT,
};

/**
 * SQL: whether the lifecycle of the change `c` has ended, so that the engine would refuse a retry as `LIFECYCLE_ENDED`.
 */
const LIFE_HAS_ENDED = `exists (
  select from lifecycle l where l.id = c.lifecycle_id and l.ended_at is not null)`;

const REASON: Readonly<Record<BulkAction, Reason>> = {
  retry: () => `case when c.state = 'succeeded' then 'the operation has succeeded'
    when c.state = 'in-doubt' then 'the operation is in doubt: decide it first'
    when c.finished_at is null then ${HAS_NOT_ENDED}
    when ${mayTakeEffect('c')} then 'an attempt of the operation may take effect'
    when ${hasTakenEffect('c')} then 'the ledger has accepted the operation'
    when ${LIFE_HAS_ENDED} then 'its lifecycle has ended'
    else ${RETRIED} end`,
  cancel: () => `case when c.finished_at is not null then 'it has ended'
    when c.state = 'in-doubt' then 'the operation is in doubt: decide it first'
    when c.state = 'queued' then null
    when c.accepted_update_id is not null then 'the ledger has accepted the operation'
    when ${mayTakeEffect('c')} then 'an attempt of the operation may take effect' end`,
  decide: ({
    decision,
    scope,
    ending,
  }) => `case when c.state <> 'in-doubt' then 'it is not in doubt'
    ${scope.of === 'provider' ? '' : ACTED_AS_PROVIDER}
    ${decision === null ? '' : CONTRADICTED[decision](ending)} end`,
};

/** SQL: the ID of the change that the caller requested originally. A filter may match both a change and its retries. */
const ROOT = sql`coalesce(substring(c.command_id from '^tenure:retry:([0-9a-f-]{36}):')::uuid, c.id)`;

/** A change that matches the filter. */
interface JudgedChange {
  readonly id: string;
  readonly lane: string;
  readonly mailbox_no: number;
  /** Why the action does not apply to the change; `null` if it applies. */
  readonly reason: string | null;
  /**
   * The number of all matching changes; retries and their roots are counted separately. If the number exceeds
   * `itemsMax`, only `itemsMax` of the changes have a row.
   */
  readonly meant: bigint;
}

/** Returns a query with the table `judged`, which has a row for each change that matches the filter. */
export function judgedChanges(
  {
    action,
    decision,
    filter,
    scope,
    ending,
    operations,
  }: BulkRequest & Pick<Asked, 'scope' | 'ending'> & { readonly operations: readonly string[] },
  itemsMax: number,
) {
  const limit = itemsMax + 1;
  const meant = meantChanges({ scope, filter, order: 'ascending', limit, operations });
  const ids =
    action === 'retry'
      ? sql`select distinct ${ROOT} as id, count(*) over () as meant from ${meant} m join change c on c.id = m.id`
      : sql`select m.id, count(*) over () as meant from ${meant} m`;
  const reason = sql.raw(REASON[action]({ decision, scope, ending }));
  const judged = sql<JudgedChange>`(select c.id, c.lane, c.mailbox_no, ${reason} as reason, i.meant
    from (${ids}) i join change c on c.id = i.id)`;
  return build.with(
    (cte) => cte('judged').materialized(),
    () => judged,
  );
}
