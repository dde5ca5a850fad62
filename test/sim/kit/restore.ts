import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import type { Cluster } from './cluster.ts';
import { MEMBER_NAMES } from './cluster.ts';
import { PARTICIPANTS } from './ledger.ts';
import type { World } from './world.ts';

/* In a history with this fault, the database is restored to an earlier state once. */

const STREAMS = [
  UPDATES_STREAM,
  ...PARTICIPANTS.map((side) => completionsStream(trusted<ParticipantName>(side))),
];

/**
 * Returns whether all streams are followed. A copy from before that time would be an empty database, without any trace
 * of operations that were accepted since.
 */
const isFollowing = ({ database: { contents } }: World): boolean => {
  const joined = new Set(contents.cursors().map(({ stream }) => stream));
  return STREAMS.every((stream) => joined.has(stream));
};

/**
 * Copies the database, and later restarts the server with this copy. This stands for two cases: a copied folder that is
 * restored while no process runs, and a standby server that lacks commits, with which all processes continue.
 */
export async function restoreOnce(world: World, cluster: Cluster): Promise<void> {
  const { restoring: random, clock, database, trace, weather } = world;
  if (weather.rateOf('database-restored') === 0) return;
  await clock.pass(random.between(1_000, 20_000));
  while (!isFollowing(world) && !weather.isFair) await clock.pass(1_000);
  const copy = database.copy();
  world.copied = database.contents.cursors();
  trace.add('database', 'is copied');
  await clock.pass(random.pick([1_000, 5_000, 15_000, 40_000]));
  while (world.isDatabaseAway) await clock.pass(1_000);
  // After the faults have ended, pauses that were removed and synchronizers that were given up must stay so, although
  // the copy has them.
  if (weather.isFair) return;
  const isStandby = random.chance(0.5);
  weather.count('database-restored', isStandby ? 'standby' : 'copy');
  trace.add('database', 'is as it was when it was copied');
  world.disasters += 1;
  world.isDatabaseAway = true;
  if (!isStandby) for (const name of MEMBER_NAMES) cluster.kill(name);
  world.restoreDatabase(copy);
  cluster.cutDatabase();
  await clock.pass(random.pick([50, 1_000, 8_000]));
  world.isDatabaseAway = false;
  world.disasters -= 1;
}
