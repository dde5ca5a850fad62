import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Mutations of the rules under which a process submits the first attempt of a change that it has recorded. */

const dispatch = (name: string) => test('integration', 'integration/eager-dispatch', name);
const store = (name: string) => test('integration', 'integration/store', name);
const unit = (name: string) => test('unit', 'unit/queue/eager', name);

export const EAGER: readonly Mutation[] = [
  {
    name: 'eager-time-from-the-commit',
    file: 'src/queue/eager.ts',
    find: 'const recorded = { started, submissionId, elapsedMs, isDoubtful };',
    put: 'const recorded = { started, submissionId, elapsedMs: stopwatch(wallClock), isDoubtful };',
    breaks: 'after a slow commit, a first attempt is sent when others count it as over',
    found: unit('counts its time from before the transaction'),
  },
  {
    name: 'eager-beside-the-queue',
    file: 'src/queue/eager.ts',
    find: '    }, LIMITS.redispatchMs);',
    put: '    }, 2 * LIMITS.redispatchMs);',
    breaks: 'a first attempt is still being sent after its effect was dispatched again',
    found: unit('is aborted when its effect is dispatched again'),
  },
  {
    name: 'eager-after-the-stop',
    file: 'src/queue/eager.ts',
    find: 'if (name === null || isStopping) return',
    put: 'if (name === null) return',
    breaks: 'a process that stops begins first attempts that nobody waits for',
    found: unit('begins no more once the process stops'),
  },
  {
    name: 'eager-for-one-participant',
    file: 'src/queue/eager.ts',
    find: 'if ((taken.get(participant) ?? 0) >= most) return null;',
    put: 'if (most === 0) return null;',
    breaks: 'first attempts at a slow participant take the places of all others',
    found: unit('a participant gets three quarters'),
  },
  {
    name: 'eager-without-a-place',
    file: 'src/queue/eager.ts',
    find: 'const free = slots.takeFree();',
    put: 'const free = slots.takeFree() ?? (() => {});',
    breaks: 'a first attempt is recorded although the worker has no free place to send it from',
    found: unit('a participant gets three quarters'),
  },
  {
    name: 'eager-trusts-a-lost-session',
    file: 'src/queue/eager.ts',
    find: 'const isDoubtful = (): boolean => session() !== name;',
    put: 'const isDoubtful = (): boolean => false;',
    breaks: 'a process that has lost its session sends what another process has taken over',
    found: dispatch('what another process has taken over'),
  },
  {
    name: 'eager-row-of-another-dispatch',
    file: 'src/store/engine/claims.ts',
    find: 'where e.id = $1 and a.submission_id = $2 and e.dispatch_no = 1 and e.done_at is null',
    put: 'where e.id = $1 and a.submission_id = $2 and e.done_at is null',
    breaks:
      'a process takes an attempt for its own although the relay has dispatched the effect again',
    found: dispatch('what another process has taken over'),
  },
  {
    name: 'eager-forgets-an-unanswered-commit',
    file: 'src/app/engine/requests/record-change.ts',
    find: 'else place.giveUp(effect);',
    put: 'else place.leave();',
    breaks: 'an attempt whose commit was not answered waits until it is dispatched again',
    found: dispatch('after a commit without an answer'),
  },
  {
    name: 'eager-row-without-a-session',
    file: 'src/store/engine/claims.ts',
    find: 'clock_timestamp(), $5::text',
    put: 'clock_timestamp(), nullif($5::text, $5::text)',
    breaks: 'the row of a first attempt does not name the process that sends it',
    found: dispatch('the process that records a change'),
  },
  {
    name: 'eager-row-of-another-user',
    file: 'src/store/engine/claims.ts',
    find: 'x.submission_id, s.participant, s.ledger_user, s.act_as',
    put: 'x.submission_id, s.participant, s.act_as, s.act_as',
    breaks: 'the row of an attempt names another ledger user than the one that submits it',
    found: store('the first attempt is committed with its change'),
  },
  {
    name: 'eager-for-an-ended-session',
    file: 'src/store/engine/claims.ts',
    find: 'where v.is_alive and e.id = any($1)',
    put: 'where v.is_alive is not null and e.id = any($1)',
    breaks: 'a process whose session has ended records attempts that nobody takes over',
    found: store('a pause, a circuit and an ended session'),
  },
  {
    name: 'eager-never-taken-over',
    file: 'src/store/engine/claims.ts',
    find: `(select distinct session_of from open) s where \${endedLife('s.session_of')}`,
    put: `(select distinct session_of from open) s where s.session_of = ''`,
    breaks: 'the attempts of a process that has ended wait until they are dispatched again',
    found: store('the attempt of an ended session may have been sent'),
  },
  {
    name: 'eager-counts-as-unsent',
    file: 'src/store/engine/claims.ts',
    find: 'case when a.unsent then 0 else 1 end as n',
    put: 'case when a.unsent or a.session_of is not null then 0 else 1 end as n',
    breaks:
      'the attempt of a lost session, which may have been sent, is overwritten by the next one',
    found: store('the attempt of an ended session may have been sent'),
  },
  {
    name: 'eager-past-a-pause',
    file: 'src/store/engine/claims.ts',
    find: `'lock table pause, foreign_ledger in row exclusive mode'`,
    put: `'lock table pause, foreign_ledger in access share mode'`,
    breaks: 'a first attempt begins after a pause of its operation has been set',
    found: store('a pause waits for the recording'),
  },
  {
    name: 'eager-through-a-circuit',
    file: 'src/store/engine/claims.ts',
    find: 'q.participant = c.participant and (q.probe or q.until > now()))))',
    put: 'q.participant = c.participant and q.probe)))',
    breaks: 'first attempts are sent to a participant that has asked for a pause',
    found: store('a pause, a circuit and an ended session'),
  },
];
