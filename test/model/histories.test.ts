import { describe, expect, test } from 'vitest';
import { trusted } from '../../src/domain/ids.ts';
import { textAt } from '../../src/domain/json.ts';
import { LIVES, storyOf } from '../histories/lives.ts';
import { StoryBroken, tellAgain } from './kit/life-story.ts';
import type { Story, StoryStep } from './kit/life-story.ts';
import { recordedStories, recordedStory } from './kit/recorded.ts';

const NAMES = recordedStories();

describe.each(NAMES)('%s', (name) => {
  const story = recordedStory(name);

  test('comes to the same, step by step', () => {
    expect(story.steps.length).toBeGreaterThan(0);
    expect(() => tellAgain(story)).not.toThrow();
  });

  test('goes on from what was stored after any of its steps', () => {
    for (const from of story.steps.keys()) expect(() => tellAgain(story, from)).not.toThrow();
  });
});

/**
 * Returns the steps of each lifecycle, in the order in which the lifecycles began. IDs, times and offsets are left out.
 */
function livedIn({ steps }: Pick<Story, 'steps'>): string[][] {
  const lived = new Map<string, string[]>();
  for (const { lifecycleId, kind, state, detail } of steps.flatMap(({ history }) => history)) {
    const told = [kind, state, textAt(detail, 'code') ?? ''].join(' ');
    lived.set(lifecycleId, [...(lived.get(lifecycleId) ?? []), told]);
  }
  return [...lived.values()];
}

describe.each(LIVES)('$name', (life) => {
  test('is lived today as it was when it was recorded', async () => {
    expect(NAMES, 'node test/histories/record.ts records what is not recorded').toContain(
      life.name,
    );
    expect(livedIn(await storyOf(life))).toEqual(livedIn(recordedStory(life.name)));
  });
});

test('nothing is recorded that nobody can record again', () => {
  expect(NAMES.sort()).toEqual(LIVES.map(({ name }) => name).sort());
});

/** Returns a recorded story with one step changed. */
const broken = (name: string, at: number, change: (step: StoryStep) => StoryStep): Story => {
  const story = recordedStory(name);
  return { ...story, steps: story.steps.map((step, n) => (n === at ? change(step) : step)) };
};

const firstWith = (name: string, choice: string): number =>
  recordedStory(name).steps.findIndex(
    (step) =>
      'transaction' in step &&
      step.transaction.events.some(
        (event) => event.kind === 'exercised' && event.choice === choice,
      ),
  );

describe('a history that does not hold', () => {
  test('says which, at which step, how and what to do: the machine goes elsewhere', () => {
    const story = broken('normal', 3, (step) => ({
      ...step,
      lifecycles: step.lifecycles.map((one) => ({ ...one, state: 'accepted', version: 7 })),
    }));
    expect(() => tellAgain(story)).toThrow(StoryBroken);
    expect(() => tellAgain(story)).toThrow(
      /history normal broke at step 4 \(.+\): lifecycle 1: state is ".+" and was "accepted"; version is 2 and was 7\n/u,
    );
    expect(() => tellAgain(story)).toThrow(/Raise its `version`.+`migrations`.+record\.ts/su);
  });

  test('the fact reader reads a choice as another', () => {
    const at = firstWith('rejected', 'AppInstallRequest_Reject');
    const story = broken('rejected', at, (step) => {
      if (!('transaction' in step)) return step;
      const events = step.transaction.events.map((event) =>
        event.kind === 'exercised' ? { ...event, choice: 'AppInstallRequest_Accept' } : event,
      );
      return { ...step, transaction: { ...step.transaction, events } };
    });
    expect(() => tellAgain(story)).toThrow(
      /history rejected broke at step 3 \(the ledger at \d+: AppInstallRequest_Accept\): line of history 1: kind is "ledger.requestAccepted" and was "ledger.requestRejected"/u,
    );
  });

  test('something is taken that was not, or not taken that was', () => {
    const story = broken('rejected', 1, (step) => ({ ...step, history: [], lifecycles: [] }));
    expect(() => tellAgain(story)).toThrow(/1 are touched and 0 were/u);
    const late = broken('rejected', 1, (step) =>
      'change' in step
        ? { ...step, event: { type: 'command.refused', changeId: trusted(step.change.id) } }
        : step,
    );
    expect(() => tellAgain(late)).toThrow(/0 are touched and 1 were/u);
  });

  test('a snapshot of a version that is not known yet cannot be gone on with', () => {
    const story = broken('rejected', 0, (step) => ({
      ...step,
      lifecycles: step.lifecycles.map((one) => ({ ...one, machineVersion: 99 })),
    }));
    expect(() => tellAgain(story, 1)).toThrow(/stored by version 99 of its machine/u);
  });
});
