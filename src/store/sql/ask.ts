import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ProblemError, problem } from '../../domain/problems.ts';
import { DatabaseDeadlineError } from './deadline.ts';
import type { Session } from './session.ts';
import type { TransactOptions } from './transact.ts';
import { transact } from './transact.ts';

const TOO_BROAD = 'the search reads too many rows: narrow the filter, for instance by time';

/** Whether PostgreSQL itself ended the statement. This is false if the database does not answer. */
const wasEnded = (error: unknown): boolean =>
  error instanceof DatabaseDeadlineError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '57014';

/** Runs read-only statements on the primary, or on a replica if there is one: see `ask`. */
export type Ask = <T>(io: Io, work: (session: Session) => Promise<T>) => Promise<T>;

export const asking =
  (pool: Pool): Ask =>
  (io, work) =>
    ask(pool, io, work);

/**
 * Runs statements that are built at run time, in one snapshot, planned with their values. Each may take
 * `STORE_LIMITS.searchMs`.
 *
 * @example
 * const changes = build.selectFrom('change as c').select(['c.id', 'c.state']);
 * const found = await ask(pool, io, (session) =>
 *   session.ask(changes.where('c.caller_party', '=', caller.party).limit(LIMITS.pageSizeMax)),
 * );
 *
 * @param before see `TransactOptions`
 * @throws ProblemError `SEARCH_TOO_BROAD`
 */
export async function ask<T>(
  pool: Pool,
  io: Io,
  work: (session: Session) => Promise<T>,
  before?: TransactOptions['before'],
): Promise<T> {
  const bounds = { ...io, deadlineMs: STORE_LIMITS.searchMs + STORE_LIMITS.askGraceMs };
  try {
    return await transact(
      pool,
      bounds,
      (session) => {
        session.script(`set local statement_timeout = ${STORE_LIMITS.searchMs}`).catch(() => {});
        return work(session);
      },
      { asks: true, ...(before === undefined ? {} : { before }) },
    );
  } catch (error) {
    if (!wasEnded(error)) throw error;
    throw new ProblemError(problem('SEARCH_TOO_BROAD', TOO_BROAD), { cause: error });
  }
}
