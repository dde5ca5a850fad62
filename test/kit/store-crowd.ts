import { randomUUID } from 'node:crypto';
import type { LaneId } from '../../src/domain/ids.ts';

/* Rows of a lane with thousands of changes and thousands of lifecycles. */

/**
 * SQL that fills a lane with changes. The change at its head is about to be submitted; the waiting changes have the
 * numbers from 2 on.
 */
export const crowd = (
  lane: LaneId,
  of: {
    readonly lifecycleId: string;
    readonly party: string;
    readonly participant: string;
    readonly head: { readonly id: string; readonly operation: string };
    readonly waiting: { readonly operation: string; readonly count: number };
  },
): string => `
  insert into mailbox (lane) values ('${lane}') on conflict do nothing;
  insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject, provider,
                      app_user, participant, ledger_user, act_as, body, fingerprint, state, accepted_at,
                      deduplication_offset, waiting_for)
  select case when n = 1 then '${of.head.id}'::uuid else gen_random_uuid() end, '${lane}-' || n,
         case when n = 1 then '${of.head.operation}' else '${of.waiting.operation}' end, '${of.lifecycleId}',
         '${lane}', n, '${of.party}', 's', '${of.party}', '${of.party}', '${of.participant}', 'backend',
         '${of.party}', '{}', 'f', case when n = 1 then 'submitting' else 'queued' end, now(), 0,
         jsonb_build_object('kind', case when n = 1 then 'queue' else 'mailbox' end, 'detail', '', 'since', now())
  from generate_series(1, ${of.waiting.count + 1}) n;
  update mailbox set head = '${of.head.id}', next_no = ${of.waiting.count + 2}, waiting = ${of.waiting.count}
  where lane = '${lane}';
  insert into effect (id, change_id, due_at) values ('fx-${of.head.id.replaceAll('-', '')}', '${of.head.id}', now());
`;

/** SQL that inserts renewals of a lane. The caller adds the columns in which its renewals differ. */
const renewals = (
  { lane, party, count }: { readonly lane: LaneId; readonly party: string; readonly count: number },
  of: { readonly name: string; readonly columns: string; readonly values: string },
): string => `
  insert into lifecycle (id, kind, machine_version, lane, provider, app_user, contract_id, license_num, version,
                         created_at, listed_version, ${of.columns})
  select '${of.name}-${lane}-' || n, 'renewal', 3, '${lane}', '${party}', '${party}',
         '00' || md5('${randomUUID()}' || n) || md5(n::text), 1, 1, now(), 1, ${of.values}
  from generate_series(1, ${count}) n;
`;

/** SQL that inserts renewals of the lane that have ended. */
export const endedRenewals = (lane: LaneId, party: string, count: number): string =>
  renewals(
    { lane, party, count },
    {
      name: 'old',
      columns: 'state, listed_as, context, ended_at',
      values: `'renewed', 'renewed', '{}', now()`,
    },
  );

/** SQL that inserts renewals of the lane's licence that have not ended. */
export const openRenewals = (lane: LaneId, party: string, count: number): string =>
  renewals(
    { lane, party, count },
    {
      name: 'open',
      columns: 'state, listed_as, origin_id, context',
      values: `'requested', 'requested', '${lane}', jsonb_build_object('settleBefore', '2030-01-01T00:00:00Z')`,
    },
  );
