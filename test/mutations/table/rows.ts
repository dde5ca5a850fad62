import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* What PostgreSQL keeps: the conditions under which rows are written at all. */

const inStore = (name: string) => test('integration', 'integration/store', name);

export const ROWS: readonly Mutation[] = [
  {
    name: 'outcome-twice',
    file: 'src/store/engine/save.ts',
    find: 'where change.finished_at is null\n     returning 1',
    put: 'where true\n     returning 1',
    breaks: 'an outcome is written over by whoever comes later',
    found: inStore('a finished change is never written again'),
  },
  {
    name: 'cursor-without-lease',
    file: 'src/store/engine/cursors.ts',
    find: 'where o.stream = m.stream and exists (select from owner) and',
    put: 'where o.stream = m.stream and',
    breaks: 'a projector that has lost its lease moves cursors',
    found: inStore('a lease is not taken over while'),
  },
  {
    name: 'cursor-from-anywhere',
    file: 'src/store/engine/cursors.ts',
    find: 'on m.stream = o.stream and m."from" = o."offset"',
    put: 'on m.stream = o.stream',
    breaks: 'a cursor is moved by whoever does not know where it stands',
    found: inStore('one cursor elsewhere, or a stream without one'),
  },
  {
    name: 'lease-taken-while-held',
    file: 'src/store/engine/lease.ts',
    find: 'where lease.expires_at <= clock_timestamp() or lease.holder = excluded.holder',
    put: 'where true',
    breaks: 'two who ask at the same time both hold a lease',
    found: inStore('of two who ask at the same time'),
  },
  {
    name: 'lease-free-without-session',
    file: 'src/store/engine/lease.ts',
    find: '`${row}.session_of = ${row}.holder and ${endedLife(`${row}.holder`)}`',
    put: 'endedLife(`${row}.holder`)',
    breaks: 'a holder that never showed a session loses its lease to the first that asks',
    found: test(
      'integration',
      'integration/lease-sessions',
      'where the holder has shown no session',
    ),
  },
  {
    name: 'commit-lost-and-done-again',
    file: 'src/store/sql/transact.ts',
    find: 'throw !isCommitting && error instanceof',
    put: 'throw error instanceof',
    breaks: 'what may have been committed is done again',
    found: test('integration', 'integration/silent-connections', 'what was lost with its commit'),
  },
  {
    name: 'busy-server-taken-for-dead',
    file: 'src/store/sql/silence.ts',
    find: 'isStill(one) && !isWorkedFor.has(one.client.processID)',
    put: 'isStill(one) && !isWorkedFor.has(0)',
    breaks: 'a statement that takes long is ended with its connection',
    found: test('integration', 'integration/silent-connections', 'a statement that takes long'),
  },
  {
    name: 'attempt-while-verifying',
    file: 'src/store/engine/outbox.ts',
    find: '\n       and c.verify_at is null',
    put: '',
    breaks: 'a new attempt begins while it is made sure that none took effect',
    found: inStore('nothing is submitted for a change that has ended'),
  },
  {
    name: 'attempt-of-an-old-dispatch',
    file: 'src/store/engine/outbox.ts',
    find: 'where e.id = $1 and e.dispatch_no = $2 and e.done_at is null and x.id = c.id',
    put: 'where e.id = $1 and e.done_at is null and $2::integer is not null and x.id = c.id',
    breaks: 'a job of an earlier dispatch submits ahead of time',
    found: inStore('earlier dispatch'),
  },
  {
    name: 'attempt-after-acceptance',
    file: 'src/store/engine/outbox.ts',
    find: `and c.id = e.change_id and c.state in ('submitting', 'retrying') and c.accepted_update_id is null`,
    put: `and c.id = e.change_id and c.state in ('submitting', 'retrying')`,
    breaks: 'what the ledger has accepted is submitted again',
    found: inStore('nothing is submitted for a change that has ended'),
  },
  {
    name: 'answer-less-sure',
    file: 'src/store/engine/save.ts',
    find: `>= coalesce(array_position(array['unknown', 'refused', 'accepted'], a.verdict), 0)`,
    put: '>= 0',
    breaks: 'an answer that says nothing replaces a definite one',
    found: inStore('a surer answer replaces a less sure one'),
  },
  {
    name: 'lanes-by-accepted-offset',
    file: 'src/store/engine/find.ts',
    find: 'c.accepted_offset <= $2',
    put: 'false',
    breaks: 'what was accepted is not settled when its update has been applied already',
    found: inStore('a lane is found when the stream reaches'),
  },
  {
    name: 'policy-version-not-held',
    file: 'src/store/policies/policies.ts',
    find: `'select version from expiry_policy where provider = $1 for share'`,
    put: `'select version from expiry_policy where provider = $1'`,
    breaks: 'a policy is changed while a firing is recorded that it no longer wants',
    found: inStore('are asked for by a policy that stays what it is'),
  },
];
