import { rowsOf } from '../chaos/rows.ts';

/* Computes from times in the store how long an operation waits in each stage. */

/** When a caller sent a request, and when it got the answer, in wall time. */
export interface Asked {
  readonly commandId: string;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** The stages of an operation. Each begins when the previous one ends. Their durations are in milliseconds. */
export const STAGES = [
  'accepted',
  'dispatched',
  'claimed',
  'on the ledger',
  'projected',
  'answered',
] as const;

type Stamps = readonly [number, number, number, number, number];

/**
 * An effect's dispatch time is computed from its due time, so effects that were dispatched twice are omitted. The time
 * of the ledger's transaction is the time at which it was interpreted. The time of the projection is the time at which
 * the database transaction began.
 */
const STAMPS = `
  select c.command_id as "commandId",
         array[e.made_at, e.due_at - interval '15 s', a.at, l.at, e.done_at] as stamps
  from change c join effect e on e.change_id = c.id join attempt a on a.change_id = c.id
    join lateral (
      select max(created_effective_at) as at from contract where created_at_offset = c.accepted_offset) l on true
  where c.command_id = any($1) and e.dispatch_no = 1 and a.n = 1 and e.done_at is not null`;

/** Returns how long each stage took for each of these requests. */
export async function stagesOf(
  databaseUrl: string,
  asked: readonly Asked[],
): Promise<readonly (readonly number[])[]> {
  const rows = await rowsOf<{ commandId: string; stamps: readonly (Date | null)[] }>(
    databaseUrl,
    STAMPS,
    [asked.map(({ commandId }) => commandId)],
  );
  const found = new Map(
    rows.map(({ commandId, stamps }) => [
      commandId,
      stamps.map((at) => at?.getTime() ?? NaN) as unknown as Stamps,
    ]),
  );
  return asked.flatMap(({ commandId, sentMs, answeredMs }) => {
    const stamps = found.get(commandId);
    if (stamps === undefined) return [];
    const ends = [sentMs, ...stamps, answeredMs];
    return [ends.slice(1).map((end, n) => end - (ends[n] ?? end))];
  });
}

const PASSED = `
  with begun as (
    select c.command_id, c.accepted_at, a.at
    from change c join attempt a on a.change_id = c.id and a.n = 1
    where c.command_id = any($1) or c.command_id = any($2)
  )
  select count(f.at)::int as count
  from begun q left join begun f
    on f.command_id = any($2) and f.at > q.accepted_at and f.at < q.at
  where q.command_id = any($1)
  group by q.command_id`;

/**
 * For each of these requests, returns how many of the other requests were begun while it waited. Other load on the
 * machine does not affect this number.
 */
export async function passedBy(
  databaseUrl: string,
  asked: readonly Asked[],
  others: readonly Asked[],
): Promise<readonly number[]> {
  const ids = (of: readonly Asked[]): string[] => of.map(({ commandId }) => commandId);
  const rows = await rowsOf<{ count: number }>(databaseUrl, PASSED, [ids(asked), ids(others)]);
  return rows.map(({ count }) => count);
}
