import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Blocking and releasing effects, readiness of the queue, and refusals that need no person. */

const inBlocked = (name: string) => test('integration', 'integration/blocked-effects', name);

export const BLOCKING: readonly Mutation[] = [
  {
    name: 'pauses-unordered',
    file: 'src/store/engine/pauses.ts',
    find: "'lock table pause, foreign_ledger in share row exclusive mode'",
    put: "'lock table pause, foreign_ledger in row exclusive mode'",
    breaks: 'two pauses or marks that end at once each leave the effects to the other',
    found: inBlocked('end 14 times at the same instant'),
  },
  {
    name: 'mark-cleared-unordered',
    file: 'src/store/engine/foreign-ledgers.ts',
    find: '  lockCauses(session);\n  const rows = await session.run(CLEAR',
    put: '  const rows = await session.run(CLEAR',
    breaks: 'two marks that are cleared at once each leave the effects to the other',
    found: inBlocked('end 14 times at the same instant'),
  },
  {
    name: 'causeless-not-released',
    file: 'src/store/engine/pauses.ts',
    find: "${releasing('e.id in (select id from causeless)')}",
    put: "${releasing('false')}",
    breaks: 'a blocked effect without a cause stays blocked',
    found: inBlocked('a relay releases what nothing blocks'),
  },
  {
    name: 'release-looks-at-the-first-only',
    file: 'src/store/engine/outbox.ts',
    find: 'releaseCauseless(session, this.#upTo)',
    put: 'releaseCauseless(session, null)',
    breaks: 'a relay never looks behind the first blocked effects',
    found: inBlocked('a relay releases what nothing blocks'),
  },
  {
    name: 'strays-found-by-the-putter-only',
    file: 'src/store/engine/outbox.ts',
    find: 'if (isDue || performance.now() <',
    put: 'if (performance.now() <',
    breaks: 'after a pause an effect waits for the probe of a circuit that has closed',
    found: inBlocked('another relay releases what was put off'),
  },
  {
    name: 'drain-of-what-came-before',
    file: 'src/domain/pause.ts',
    find: "(mode === 'pause' || isoToMs(effect.madeAt) >= isoToMs(since))",
    put: "(mode === 'pause' || isoToMs(effect.madeAt) >= 0)",
    breaks: 'the doctor takes a drain for the cause of what had reached the head before',
    found: test(
      'unit',
      'unit/doctor/invariants-of-blocked',
      'without a cause, or with those of others',
    ),
  },
  {
    name: 'notify-queue-not-freed',
    file: 'src/store/sql/listen.ts',
    find: "'select pg_notification_queue_usage()'",
    put: "'select 1'",
    breaks: 'a full NOTIFY queue stays full, for nobody frees what has been read',
    found: test('integration', 'integration/database-outages', 'while its NOTIFY queue is full'),
  },
  {
    name: 'notify-full-unnamed',
    file: 'src/main/database-check.ts',
    find: 'row.notify_usage >= 1',
    put: 'row.notify_usage > 1',
    breaks: 'a process that has written nothing yet is ready while the NOTIFY queue is full',
    found: test('integration', 'integration/database-outages', 'while its NOTIFY queue is full'),
  },
  {
    name: 'queue-refuses-and-is-ready',
    file: 'src/queue/relay.ts',
    find: 'sinceMs: this.#run?.sinceMs ?? lastMs',
    put: 'sinceMs: lastMs',
    breaks: 'a queue that has refused effects for long is ready',
    found: test('unit', 'unit/queue/relay', 'a queue that fails for some seconds'),
  },
  {
    name: 'conflict-needs-a-person',
    file: 'src/app/desk/failures.ts',
    find: "  'LIFECYCLE_ENDED',\n  'STEP",
    put: "  'STEP",
    breaks: 'the second of two callers opens a failure that a person has to look at',
    found: test('integration', 'integration/ops-desk', 'do not need a person'),
  },
  {
    name: 'closed-circuit-is-the-reason',
    file: 'src/app/engine/lanes/circuit-wait.ts',
    find: '  OF_CIRCUITS.has(waiting.kind)\n',
    put: '  waiting.until === null\n',
    breaks: 'an operation says that its participant cannot be reached after it has answered',
    found: test('unit', 'unit/app/circuit-wait', 'a circuit that has closed'),
  },
];
