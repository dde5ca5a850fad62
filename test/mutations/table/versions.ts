import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/*
 * Mutations of code that lets processes of the last release and of this version run on one database at the same time.
 */

const BESIDE = 'migrations/0049_beside_earlier.sql';

const eachOnce = test(
  'integration',
  'integration/releases-events',
  'whoever writes and whoever numbers',
);
const fromTheSmallest = test(
  'integration',
  'integration/releases-events',
  'what is pruned is pruned from the smallest number on',
);

export const VERSIONS: readonly Mutation[] = [
  {
    name: 'beside-events-of-no-lifecycle',
    file: BESIDE,
    find: `'lifecycle_id', new.lifecycle_id,\n    'parties'`,
    put: `'lifecycle_id', null,\n    'parties'`,
    breaks: 'events that the release writes are of no lifecycle',
    found: eachOnce,
  },
  {
    name: 'beside-taken-with-the-rest',
    file: BESIDE,
    find: 'where place = old.place / 1000000 and jsonb_array_length(events) = 1;',
    put: 'where place = old.place / 1000000;',
    breaks: 'what the release leaves of a transaction without numbers is lost',
    found: eachOnce,
  },
  {
    name: 'beside-taken-from-the-end',
    file: BESIDE,
    find: 'update arrival set events = events - 0 where',
    put: 'update arrival set events = events - -1 where',
    breaks: 'an event that has no number is lost, and another is numbered twice',
    found: eachOnce,
  },
  {
    name: 'beside-numbered-for-no-party',
    file: BESIDE,
    find: `      'parties', to_jsonb(new.parties), 'data', new.data)));`,
    put: `      'parties', '[]'::jsonb, 'data', new.data)));`,
    breaks: 'events that the release numbers are told to no party',
    found: eachOnce,
  },
  {
    name: 'beside-pruned-with-the-rest',
    file: BESIDE,
    find: 'delete from event_batch where last = of_batch and first = last;',
    put: 'delete from event_batch where last = of_batch;',
    breaks: 'the release prunes more than it says, and what webhooks have not come to',
    found: fromTheSmallest,
  },
  {
    name: 'beside-pruned-beside-its-number',
    file: BESIDE,
    find: 'set first = first + 1, events = events - 0 where last = of_batch',
    put: 'set first = first + 1, events = events - -1 where last = of_batch',
    breaks: 'events have the numbers of others once the release has pruned',
    found: fromTheSmallest,
  },
  {
    name: 'beside-audit-told-to-all',
    file: BESIDE,
    find: 'where w.id = new.webhook_id and cardinality(w.types) = 0',
    put: 'where w.id = new.webhook_id and cardinality(w.types) < 0',
    breaks: 'the release delivers the audit log to webhooks that have not named it',
    found: test(
      'integration',
      'integration/releases-events',
      'what the audit log tells is delivered where it is named',
    ),
  },
  {
    name: 'fan-out-left-behind',
    file: 'src/store/webhooks/deliveries.ts',
    find: `  const [moved, rows] = await Promise.all([
    session.run(MOVE, [at.last, upTo, epoch]),
    at.is_wanted ? session.run(READ_EVENTS, [at.last, upTo, null]) : [],
  ]);`,
    put: `  const moves = session.run(MOVE, [at.last, upTo, epoch]);
  const rows = at.is_wanted ? await session.run(READ_EVENTS, [at.last, upTo, null]) : [];
  const moved = await moves;`,
    breaks: 'a clock that is stopped while it makes deliveries ends with an error',
    found: test(
      'integration',
      'integration/deliveries',
      'deliveries that cannot be made leave no rejection behind',
    ),
  },
];
