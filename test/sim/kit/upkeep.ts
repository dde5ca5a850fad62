import type { RebuildAsks } from '../memory/rebuilds.ts';
import { PARTICIPANTS } from './ledger.ts';
import type { Side } from './ledger.ts';
import type { World } from './world.ts';

/* The work of the provider's operators on the query store and on synchronizers. */

/** How often an operator polls for the answer to a rebuild. */
const LOOKS = 30;
const LOOK_MS = 1_000;

type Answer = NonNullable<ReturnType<RebuildAsks['answerTo']>>;

/**
 * Checks that a rebuild found nothing to correct: without a bug, nothing is missing in the projection of the
 * simulation.
 */
function judge({ bugs, restores }: World, answer: Answer): void {
  if ('error' in answer) {
    if (/ledger of the store|TypeError|assert/u.test(answer.error)) bugs.push(answer.error);
    return;
  }
  const { contracts, lifecycles, changes } = answer.report as Record<string, object>;
  // After a restore, a rebuild corrects much until the database has caught up with the ledger.
  if (restores > 0) return;
  const { active: _active, ...touched } = { ...contracts } as Record<string, number>;
  const { goneIds: _ids, ...lives } = { ...lifecycles } as Record<string, unknown>;
  const { open: _open, ...resolved } = { ...changes } as Record<string, number>;
  const mended = Object.entries({ ...touched, ...lives, ...resolved }).filter(([, n]) => n !== 0);
  if (mended.length > 0) bugs.push(`a rebuild put something right: ${JSON.stringify(mended)}`);
}

/**
 * Requests a rebuild in the database as `tenure projection rebuild` does, and withdraws the request if no process
 * answers.
 */
export async function rebuild(world: World): Promise<void> {
  const { random, clock, weather, trace, database } = world;
  if (world.isDatabaseAway) return;
  const connection = database.connect('cli');
  const { rebuildAsks } = connection;
  const request = { id: random.uuid(), isDryRun: random.chance(0.3) };
  if (!(await rebuildAsks.ask(request))) return;
  trace.add('cli', `asks for a rebuild${request.isDryRun ? ', dry' : ''}`);
  let answer: Answer | null = null;
  for (let looks = 0; looks < LOOKS && answer === null; looks += 1) {
    await clock.pass(LOOK_MS);
    answer = rebuildAsks.answerTo(request.id);
  }
  if (answer === null) await rebuildAsks.withdraw(request.id);
  else judge(world, answer);
  const came = answer === null ? 'withdrawn' : 'error' in answer ? 'refused' : 'done';
  weather.count('desk', `rebuild ${came}`);
  trace.add('cli', `rebuild ${came}: ${JSON.stringify(answer)}`);
  connection.kill();
}

interface Seen {
  readonly side: Side;
  readonly synchronizer: string;
}

/** Returns the synchronizers that participants have left for good, and for which the store still waits. */
export const leftIn = ({ otherSynchronizers, database: { contents } }: World): Seen[] =>
  PARTICIPANTS.flatMap((side) => {
    const row = contents.cursors().find(({ stream }) => stream === `completions:${side}`);
    return [...otherSynchronizers[side].left]
      .filter((id) => row?.times.has(id) === true && !row.givenUp.has(id))
      .map((synchronizer) => ({ side, synchronizer }));
  });

/** Returns every synchronizer on which a participant was ever seen, including its current one. */
export const seenIn = ({ database: { contents } }: World): Seen[] =>
  PARTICIPANTS.flatMap((side) =>
    contents
      .cursors()
      .filter(({ stream }) => stream === `completions:${side}`)
      .flatMap(({ times }) => [...times.keys()].map((synchronizer) => ({ side, synchronizer }))),
  );
