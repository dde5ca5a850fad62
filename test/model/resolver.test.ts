import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeated, telling } from './kit/repeat.ts';
import type { Command } from './kit/wild-commands.ts';
import {
  asking,
  calmDown,
  checkpointing,
  deciding,
  delivering,
  expectEnd,
  forgetting,
  goingOn,
  hearing,
  others,
  passing,
  retrying,
  rotating,
  wildHistories,
  working,
} from './kit/wild-commands.ts';
import { LONG_MS, WildSystem } from './kit/wild-system.ts';

/*
 * Tenure's promise, on a ledger whose answers are as bad as a ledger's answers may be. Whatever is lost, late, refused
 * or reported twice: each operation takes effect at most once, no operation ends while it may still take effect, and a
 * success always counts.
 */

test('no sequence of answers breaks the promise', async () => {
  const ends = new Set<string>();
  const commands = wildHistories({ maxCommands: 60, size: 'max', ...repeated.commands });
  await fc.assert(
    fc.asyncProperty(commands, async (happens) => {
      const system = await WildSystem.open();
      await fc.asyncModelRun(() => ({ model: system, real: system }), happens);
      await calmDown(system);
      expectEnd(system);
      for (const { state } of system.changes()) ends.add(state);
    }),
    { numRuns: 600, ...repeated.run, reporter: telling('test/model/resolver.test.ts') },
  );
  if (repeated.run.path === undefined) {
    expect([...ends]).toEqual(expect.arrayContaining(['succeeded', 'rejected']));
  }
}, 300_000);

/** Delivers everything that has happened so far. */
const allArrives = delivering(99, 99);
const taken = working('taken', 'lives');

/**
 * Sequences that random runs rarely produce, and that must never be judged wrongly. The last member is the expected
 * end.
 */
const SEQUENCES: readonly (readonly [string, readonly Command[], readonly string[]])[] = [
  [
    'a refusal that is written down late does not end what was accepted meanwhile',
    [
      asking('renew-license'),
      working('refused', 'records late'),
      taken,
      deciding(0, 'accepted'),
      delivering(0, 1),
      goingOn(0),
    ],
    ['succeeded'],
  ],
  [
    'a second attempt is refused because the first one worked: its completion is on its way',
    [
      asking('create-license'),
      taken,
      deciding(0, 'accepted'),
      working('taken', 'lives'),
      delivering(0, 0),
      checkpointing,
    ],
    ['succeeded'],
  ],
  [
    'a refusal is believed once the completions have passed where the ledger ended, and not before',
    [
      asking('renew-license'),
      taken,
      deciding(0, 'accepted'),
      passing(LONG_MS),
      working('refused', 'lives'),
      delivering(0, 0),
      checkpointing,
      delivering(1, 0),
    ],
    ['succeeded'],
  ],
  [
    'a refusal is not believed while an attempt without an answer may still be sequenced',
    [
      asking('renew-license'),
      working('taken, and the answer is lost', 'lives'),
      working('refused', 'lives'),
      checkpointing,
      allArrives,
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'a worker that died told nobody whether it had submitted',
    [
      asking('renew-license'),
      working('taken', 'dies before it records'),
      working('refused', 'lives'),
      checkpointing,
      allArrives,
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'an effect of which no completion tells, and a ledger that has forgotten: nothing is submitted again',
    [
      asking('renew-license'),
      taken,
      deciding(0, 'accepted, and no completion tells'),
      forgetting,
      taken,
      deciding(0, 'accepted'),
      delivering(0, 9),
      taken,
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'what became of the first attempt is lost and forgotten: the ledger’s own time says that it came to nothing',
    [
      asking('renew-license'),
      working('lost', 'lives'),
      forgetting,
      taken,
      deciding(0, 'accepted'),
      allArrives,
    ],
    ['succeeded'],
  ],
  [
    'a participant that is behind says nothing about now, however long ago the attempt was',
    [
      asking('renew-license'),
      taken,
      deciding(0, 'accepted'),
      passing(LONG_MS),
      working('refused', 'lives'),
      hearing,
      passing(LONG_MS),
      delivering(0, 0),
      passing(60 * LONG_MS),
      delivering(1, 0),
    ],
    ['succeeded'],
  ],
  [
    'an attempt that was left unread for an hour takes its time when it is read',
    [
      asking('renew-license'),
      working('left unread', 'lives'),
      passing(30 * LONG_MS),
      checkpointing,
      allArrives,
      working('refused', 'lives'),
      hearing,
      checkpointing,
      allArrives,
      deciding(0, 'accepted'),
      passing(LONG_MS),
      checkpointing,
      allArrives,
    ],
    ['succeeded'],
  ],
  [
    'a refusal is believed once the ledger’s time has passed what was heard of',
    [
      asking('renew-license'),
      working('lost', 'lives'),
      working('refused', 'lives'),
      passing(LONG_MS),
      hearing,
      passing(LONG_MS),
      checkpointing,
      allArrives,
    ],
    ['rejected'],
  ],
  [
    'every attempt was refused for good, and the ledger has forgotten: there is nothing to protect',
    [
      asking('renew-license'),
      working('contended', 'lives'),
      forgetting,
      taken,
      deciding(0, 'accepted'),
      allArrives,
    ],
    ['succeeded'],
  ],
  [
    'a duplicate of what no completion told of is our own success',
    [
      asking('renew-license'),
      taken,
      deciding(0, 'accepted, and no completion tells'),
      taken,
      deciding(0, 'accepted'),
      delivering(0, 1),
    ],
    ['succeeded'],
  ],
  [
    'a contract that stands is said to be gone, as often as may be, while an attempt on it is in flight',
    [
      asking('renew-license'),
      taken,
      ...Array.from({ length: 12 }, () => [
        working('on a contract that is gone', 'lives'),
        checkpointing,
        allArrives,
      ]).flat(),
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'after a rotation, nothing is submitted while an attempt of the former ledger user may take effect',
    [
      asking('renew-license'),
      working('taken', 'lives'),
      deciding(0, 'accepted'),
      allArrives,
      asking('renew-license'),
      working('taken, and the answer is lost', 'lives'),
      rotating,
      taken,
      taken,
      deciding(0, 'accepted'),
    ],
    ['succeeded', 'succeeded'],
  ],
  [
    'bulk retries beside an undecided attempt of another ledger user take effect once each, also after a rotation',
    [
      asking('renew-license'),
      working('refused', 'lives'),
      asking('create-license'),
      working('refused', 'lives'),
      asking('renew-license'),
      working('taken, and the answer is lost', 'lives'),
      rotating,
      retrying,
      working('taken, and the answer is lost', 'lives'),
      rotating,
      taken,
      taken,
      deciding(0, 'accepted'),
      deciding(0, 'accepted'),
    ],
    ['rejected', 'rejected', 'succeeded', 'succeeded', 'succeeded'],
  ],
  [
    'a rotated ledger user submits once nothing of the former one can be to come',
    [
      asking('renew-license'),
      working('lost', 'lives'),
      rotating,
      taken,
      passing(LONG_MS),
      hearing,
      passing(LONG_MS),
      checkpointing,
      allArrives,
    ],
    ['succeeded'],
  ],
  [
    'a submission that was delivered twice beside a lost one keeps its own bound',
    [
      asking('renew-license'),
      working('lost', 'lives'),
      passing(60_000),
      hearing,
      passing(100_000),
      working('taken, and delivered twice', 'lives'),
      working('refused', 'lives'),
      passing(40_000),
      checkpointing,
      allArrives,
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'the contract was replaced by others while an attempt was in flight: the next one is on its successor',
    [
      asking('create-license'),
      taken,
      others('replace'),
      deciding(0, 'accepted'),
      allArrives,
      taken,
      deciding(0, 'accepted'),
    ],
    ['succeeded'],
  ],
  [
    'the contract was ended by others while an attempt was in flight: refused, and what waits behind it too',
    [
      asking('create-license'),
      asking('create-license'),
      taken,
      others('end'),
      deciding(0, 'accepted'),
      allArrives,
    ],
    ['rejected', 'rejected'],
  ],
];

describe('sequences worth remembering', () => {
  test.each(SEQUENCES)('%s', async (_what, commands, ends) => {
    const system = await WildSystem.open();
    for (const command of commands) {
      if (command.check(system)) await command.run(system, system);
    }
    await calmDown(system);
    expectEnd(system);
    expect(system.changes().map(({ state }) => state)).toEqual(ends);
  });
});
