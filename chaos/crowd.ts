import { rowsOf } from './rows.ts';

/**
 * Inserts operations that wait behind the cancel of an install, as if thousands of requests had been sent. Sending
 * these requests would take longer than the run. The lane has no head, so the projector starts the cancel and ends the
 * remaining operations.
 *
 * The party of the inserted operations has no webhook, so no message has to be delivered for them. The cancel has the
 * caller, the participant and the ledger user of the newest accept.
 */
const FILL = `
  with asked as (
    select * from change where operation = 'accept-install-request' and state = 'succeeded'
    order by accepted_at desc limit 1
  ), life as (
    select l.id, l.lane, l.app_user from lineage a join lifecycle l on l.id = a.lifecycle_id
    where a.contract_id = $1 and l.ended_at is null
  ), box as (
    insert into mailbox as m (lane, next_no, waiting) select lane, $2::integer + 2, $2::integer + 1 from life
    on conflict (lane) do update set next_no = m.next_no + $2::integer + 1, waiting = $2::integer + 1
    where m.head is null and m.waiting = 0
    returning lane, next_no - $2::integer - 1 as first_no
  ), turn as (
    insert into interrupted_lane (lane, after_no) select lane, first_no - 1 from box
  ), made as (
    insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject,
                        provider, app_user, participant, ledger_user, act_as, body, fingerprint, state, accepted_at,
                        deduplication_offset, waiting_for)
    select gen_random_uuid(), 'crowd-' || life.id || '-' || n, o.operation, life.id, box.lane, box.first_no + n,
           case when n = 0 then asked.caller_party else 'crowd::1220cc' end, asked.caller_subject, asked.provider,
           life.app_user, asked.participant, asked.ledger_user, asked.act_as, '{}',
           encode(sha256(convert_to(o.operation || E'\\n' || life.id || E'\\n{}', 'utf8')), 'hex'), 'queued', now(),
           asked.deduplication_offset,
           jsonb_build_object('kind', 'mailbox', 'detail', 'behind earlier changes of the same lane', 'since', now())
    from asked, life, box, generate_series(0, $2::integer) n,
         lateral (select case when n = 0 then 'cancel-install' else 'create-license' end as operation) o
    returning id, command_id, operation, lifecycle_id, caller_party, mailbox_no
  ), told as (
    insert into arrival (events)
    select jsonb_agg(jsonb_build_object(
      'type', 'tenure.operation.accepted', 'subject', id, 'lifecycle_id', lifecycle_id,
      'parties', jsonb_build_array(caller_party),
      'data', jsonb_build_object('operationId', id, 'commandId', command_id, 'operation', operation,
                                 'state', 'queued', 'lifecycleId', lifecycle_id)))
    from made group by mailbox_no / 200
  )
  select count(*) as count from made`;

/**
 * @returns the number of operations that wait now; 0 if the install has ended, or if other operations wait in its lane
 */
export async function fillLane(
  databaseUrl: string,
  install: string,
  count: number,
): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(databaseUrl, FILL, [install, count]);
  return Number(row?.count ?? 0);
}
