import type { BulkAction, BulkRequest } from '../app/bulk-acts.ts';
import type { OpsScope } from '../app/ops-scope.ts';
import { LIMITS } from '../domain/limits.ts';
import { meantChanges } from './change-search.ts';
import type { Parameters } from './ops-scope.ts';

/*
 * Which changes of a filter an action can be done to, as far as can be seen without a lock; the others with a reason in
 * words. Whatever is applied is judged again, change by change, when it is done.
 */

const HAS_NOT_ENDED = `'it has not ended'`;

/** Something may still come of an attempt: nothing is told yet of the time from which on nothing can. */
const UNDECIDED = `exists (
  select from attempt t where t.change_id = c.id and coalesce(t.verdict, 'unknown') = 'unknown'
    and (t.over_at is null or t.over_at > coalesce(proven_time(c.participant), '-infinity')))`;

/** Of a retry, what stands in the way of another one is the newest retry of its root. */
const RETRIED = `(
  select case when r.state in ('rejected', 'failed', 'cancelled') then null
              when r.state = 'succeeded' then 'a retry of it has succeeded'
              when r.state = 'in-doubt' then 'a retry of it is in doubt'
              else 'a retry of it is on its way' end
  from change f cross join lateral (
    select n.state from change n
    where n.command_id = any(array(
      select 'tenure:retry:' || c.id || ':' || g from generate_series(1, ${LIMITS.retriesMax}) g))
    order by n.accepted_at desc, n.id limit 1) r
  where f.command_id = 'tenure:retry:' || c.id || ':1' limit 1)`;

/** See `decideDoubt`: who is not the provider's has asked for what others acted for. */
const ACTED_AS_PROVIDER = (actAs: string): string =>
  `when c.act_as <> ${actAs} then 'it acted as the provider, whose operators decide it'`;

type Asked = Pick<BulkRequest, 'decision'> & { readonly scope: OpsScope };
type Reason = (asked: Asked, parameters: Parameters) => string;

const REASON: Readonly<Record<BulkAction, Reason>> = {
  retry: () => `case when c.state = 'succeeded' then 'it has succeeded'
    when c.state = 'in-doubt' then 'it is in doubt: it has to be decided'
    when c.finished_at is null then ${HAS_NOT_ENDED}
    when ${UNDECIDED} then 'an attempt may take effect'
    else ${RETRIED} end`,
  cancel: () => `case when c.finished_at is not null then 'it has ended'
    when c.state = 'in-doubt' then 'it is in doubt: it has to be decided'
    when c.state = 'queued' then null
    when c.accepted_update_id is not null then 'the ledger has accepted it'
    when ${UNDECIDED} then 'an attempt may take effect' end`,
  decide: (
    { decision, scope: { of, party } },
    parameters,
  ) => `case when c.state <> 'in-doubt' then 'it is not in doubt'
    ${of === 'provider' ? '' : ACTED_AS_PROVIDER(parameters.add(party))}
    when ${decision === 'no-effect' ? UNDECIDED : 'false'} then 'an attempt may take effect' end`,
};

/** A retry is one of the change that its caller asked for; a filter may mean both. */
const ROOT = `coalesce(substring(c.command_id from '^tenure:retry:([0-9a-f-]{36}):')::uuid, c.id)`;

/**
 * A query of one row for each change that the filter means: `id`, `lane`, `mailbox_no`, `reason`, which is null where the
 * action can be done, and `meant`. That is how many changes the filter means, retries besides what they retry; more than
 * `itemsMax`: there are others, which no row is of.
 */
export function judgedChanges(
  { action, decision, filter, scope }: BulkRequest & { readonly scope: OpsScope },
  itemsMax: number,
  parameters: Parameters,
): string {
  const limit = itemsMax + 1;
  const meant = meantChanges({ scope, filter, order: 'oldest', limit }, parameters);
  const ids =
    action === 'retry'
      ? `select distinct ${ROOT} as id, count(*) over () as meant from (${meant}) m join change c on c.id = m.id`
      : `select m.id, count(*) over () as meant from (${meant}) m`;
  const reason = REASON[action]({ decision, scope }, parameters);
  return `select c.id, c.lane, c.mailbox_no, ${reason} as reason, i.meant
    from (${ids}) i join change c on c.id = i.id`;
}
