/**
 * A damaged row: the statement that causes the damage, the statement that repairs it, and the sentence that the doctor
 * reports.
 */
export interface Planted {
  readonly what: string;
  readonly plant: string;
  readonly undo: string;
  readonly sentence: RegExp;
  /** Set if the doctor finds the damage only in a check without the ledger. */
  readonly over?: { readonly replay: false };
}

export const PLANTED: readonly Planted[] = [
  {
    what: 'I1',
    plant: `update change set accepted_update_id = 'x' || accepted_update_id where operation = 'complete-renewal'`,
    undo: `update change set accepted_update_id = substr(accepted_update_id, 2) where operation = 'complete-renewal'`,
    sentence: /^I1: the completion [\w-]+ renewed its licence 2 times, by updates x\w+ and \w+$/u,
  },
  {
    what: 'I2',
    plant: `update change set accepted_update_id = 'x' || accepted_update_id where operation = 'renew-license'`,
    undo: `update change set accepted_update_id = substr(accepted_update_id, 2) where operation = 'renew-license'`,
    sentence: /^I2: the renewal [\w-]+ requested its fee 2 times, by updates x\w+ and \w+$/u,
  },
  {
    what: 'I3',
    plant: `create table kept as select * from change where operation = 'expire-license';
     update change set state = 'rejected', result = null, error = '{"code": "LEDGER_REFUSED"}' where operation = 'expire-license'`,
    undo: `update change c set state = k.state, result = k.result, error = k.error from kept k where k.id = c.id; drop table kept`,
    sentence:
      /^I3: expire-license [\w-]+ \(change [\w-]+\) ended as rejected, although update \w+ at offset \d+ is its effect$/u,
  },
  {
    what: 'I4',
    plant: `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at, answered_at, verdict, explanation)
     select id, 2, 'planted', participant, ledger_user, act_as, now(), now(), 'accepted', 'planted'
     from change where operation = 'accept-install-request'`,
    undo: `delete from attempt where submission_id = 'planted'`,
    sentence: /^I4: the ledger accepted 2 attempts of accept-install-request [\w-]+: 1 and 2$/u,
  },
  {
    what: 'I5',
    plant: `create table kept as select contract_id, payload from contract where archived_at_offset is not null and template_fqn like '%:License';
     update contract set payload = jsonb_set(payload, '{expiresAt}', '"2999-01-01T00:00:00Z"')
     where contract_id in (select contract_id from exercise where choice = 'License_Expire')`,
    undo: `update contract c set payload = k.payload from kept k where k.contract_id = c.contract_id and c.template_fqn like '%:License'; drop table kept`,
    sentence: /^I5: licence \w+ was ended at .*, before its expiry time 2999-01-01T00:00:00Z$/u,
    over: { replay: false },
  },
  {
    what: 'I6, a payload',
    plant: `update contract set payload = payload || '{"licenseNum": "77"}' where template_fqn like '%:LicenseComment'`,
    undo: `update contract set payload = payload || '{"licenseNum": "1"}' where template_fqn like '%:LicenseComment'`,
    sentence:
      /^I6: the row of .*:LicenseComment \w+ differs from the contract that the ledger created at offset \d+, in payload$/u,
  },
  {
    what: 'I6, a lifecycle',
    plant: `update lifecycle set expires_at = expires_at + interval '1 second' where kind = 'license' and state = 'expired'`,
    undo: `update lifecycle set expires_at = expires_at - interval '1 second' where kind = 'license' and state = 'expired'`,
    sentence: /^I6: lifecycle license-\w+ differs from its contract \w+ in expires_at$/u,
  },
  {
    what: 'I6, an exercise that is gone',
    plant: `create table kept as select * from exercise where choice = 'License_Expire'; delete from exercise where choice = 'License_Expire'`,
    undo: `insert into exercise select * from kept; drop table kept`,
    sentence: /^I6: the query store has no row for License_Expire on \w+ at offset \d+$/u,
  },
  {
    what: 'I7',
    plant: `create table kept as select * from ledger_update order by "offset" limit 1; delete from ledger_update where "offset" in (select "offset" from kept)`,
    undo: `insert into ledger_update select * from kept; drop table kept`,
    sentence:
      /^I7: the query store has no row of update \w+ at offset \d+, although its cursor is beyond this offset$/u,
  },
  {
    what: 'I8',
    plant: `update change set mailbox_no = 1000 - mailbox_no where operation in ('renew-license', 'complete-renewal')`,
    undo: `update change set mailbox_no = 1000 - mailbox_no where operation in ('renew-license', 'complete-renewal')`,
    sentence: /^I8: .* took effect at offset \d+, before number \d+, [\w-]+, at \d+$/u,
  },
  {
    what: 'I9',
    plant: `update effect set dispatch_no = dispatch_no - 1000 where false;
     create table kept as select * from effect order by id limit 1; update effect set dispatch_no = 0 where id in (select id from kept)`,
    undo: `update effect e set dispatch_no = k.dispatch_no from kept k where k.id = e.id; drop table kept`,
    sentence: /^I9: .* was submitted although its effect was never dispatched$/u,
  },
  {
    what: 'I10',
    plant: `update mailbox set waiting = 1, next_no = next_no + 1 where lane like 'license-%' and lane in (select lane from change where operation = 'expire-license')`,
    undo: `update mailbox set waiting = 0, next_no = next_no - 1 where waiting = 1`,
    sentence: /^I10: 1 operations wait in lane license-.*, but the lane has no head$/u,
  },
  {
    what: 'I11',
    plant: `create table kept as select * from history where kind = 'license.expire'; delete from history where kind = 'license.expire'`,
    undo: `insert into history select * from kept; drop table kept`,
    sentence: /^I11: lifecycle license-\w+ has no audit row between versions \d+ and \d+$/u,
  },
  {
    what: 'I12',
    plant: `update change set fixed = (fixed::jsonb || '{"policy": {"name": "expiry", "version": 1, "lapsesAt": "2020-01-01T00:00:00Z"}}')::json where operation = 'expire-license'`,
    undo: `update change set fixed = (fixed::jsonb - 'policy')::json where operation = 'expire-license'`,
    sentence:
      /^I12: expire-license [\w-]+, requested by a policy, was decided for the expiry time 2020-01-01T00:00:00Z, but ended a contract with the expiry time .*Z$/u,
  },
  {
    what: 'I13',
    plant: `create table kept as select * from contract where contract_id in (select contract_id from lifecycle where kind = 'license' and state = 'expired');
     update contract set archived_at_offset = null, archived_node_id = null, archived_effective_at = null where contract_id in (select contract_id from kept)`,
    undo: `update contract c set archived_at_offset = k.archived_at_offset, archived_node_id = k.archived_node_id,
       archived_effective_at = k.archived_effective_at
     from kept k where k.contract_id = c.contract_id and k.template_fqn = c.template_fqn; drop table kept`,
    sentence:
      /^I13: lifecycle license-\w+ ended as expired, but its contract \w+ is active in the query store$/u,
  },
  {
    what: 'I16',
    plant: `update lifecycle set origin_id = 'license-of-another-install' where kind = 'renewal'`,
    undo: `update lifecycle r set origin_id = l.id from lifecycle l where r.kind = 'renewal' and l.kind = 'license' and l.license_num = r.license_num`,
    sentence:
      /^I16: renewal request \w+ belongs to license-of-another-install, but its payment extended license-\w+ in update \w+$/u,
  },
  {
    what: 'I14',
    plant: `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at, answered_at, verdict, explanation, proven_at)
     select change_id, max(n) + 1, 'planted', min(participant), min(ledger_user), min(act_as), max(at), now(), 'refused', 'it is over', now() + interval '100 years'
     from attempt group by change_id limit 1`,
    undo: `delete from attempt where submission_id = 'planted'`,
    sentence:
      /^I14: attempt \d+ of .* was declared unable to take effect at ledger time .*Z, but the streams have reported the ledger only up to .*Z$/u,
  },
  {
    what: 'I17',
    plant: `update attempt set ledger_user = 'former-' || ledger_user where change_id in (select id from change where operation = 'expire-license')`,
    undo: `update attempt set ledger_user = substr(ledger_user, 8) where ledger_user like 'former-%'`,
    sentence:
      /^I17: attempt \d+ of expire-license [\w-]+ names ledger user former-[\w-]+, but the completion at offset \d+ names ledger user [\w-]+$/u,
  },
];
