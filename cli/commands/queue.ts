import { LIMITS } from '../../src/domain/limits.ts';
import { jsonText } from '../output.ts';

function shardsIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const shards = /^\d{1,4}$/u.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= LIMITS.queueShardsMax) return shards;
  throw new Error(
    `${text.slice(0, 20)} is not a number of queues from 1 to ${LIMITS.queueShardsMax}`,
  );
}

/** Prints the number of queues that share the submissions, and changes it if a number is given. */
export async function shards(
  number: string | undefined,
  flags: { readonly json?: boolean },
): Promise<void> {
  const wanted = shardsIn(number);
  const [{ queueShards }, { databaseAddress }] = await Promise.all([
    import('../../src/main/queue-shards.ts'),
    import('../database-address.ts'),
  ]);
  const found = await queueShards(await databaseAddress(), wanted);
  if (flags.json === true) return console.log(jsonText({ shards: found.shards }));
  const queues = found.shards === 1 ? 'one queue' : `${found.shards} queues`;
  console.log(`Operations are distributed over ${queues}.`);
  return undefined;
}
