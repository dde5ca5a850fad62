import type { ClientBase } from 'pg';
import type { MoveState, MoveStep } from '../../domain/cell-move.ts';
import { refusalOf } from '../../domain/cell-move.ts';
import { CELL_CHANNEL } from '../sql/channels.ts';
import type { Row } from '../../../migrations/schema.ts';
import { ServerClient, UnreplicatedCommitError } from '../sql/server-client.ts';

/** The stored row of the move. */
export type MoveRow = Row<'cell_move'> & { readonly state: MoveState };

/** Thrown if the state of the move does not allow the step. `message` is a clause for a person. */
export class MoveRefusedError extends Error {
  override readonly name = 'MoveRefusedError';
}

const COLUMNS =
  'is_only, id, state, provider, address, clearance, clearance_sha256, receipt, began_at::text, state_at::text, closed_by, closed_because';

export async function readMove(client: ClientBase): Promise<MoveRow | null> {
  const { rows } = await client.query<MoveRow>(`select ${COLUMNS} from cell_move`);
  return rows[0] ?? null;
}

/**
 * Runs one step of the move in a transaction. A lock ensures that only one such transaction runs at a time.
 *
 * @throws MoveRefusedError if the state of the move does not allow the step
 * @throws UnreplicatedCommitError if the standby may lack the commit; when the step is repeated, it waits for the
 * standby
 */
export async function takeStep<T>(
  client: ClientBase,
  step: MoveStep,
  work: (move: MoveRow | null) => Promise<T>,
): Promise<T> {
  await client.query('begin');
  try {
    await client.query('lock table cell_move in share row exclusive mode');
    const move = await readMove(client);
    const refusal = refusalOf(step, move?.state ?? null);
    if (refusal !== null) throw new MoveRefusedError(refusal);
    const value = await work(move);
    await client.query('select pg_notify($1, $2)', [CELL_CHANNEL, '']);
    await client.query('commit');
    // A failover of this cell must not lose a state on which the other cell may have acted.
    if (client instanceof ServerClient && client.isUnreplicated)
      throw new UnreplicatedCommitError();
    return value;
  } catch (error) {
    // The connection itself may have failed; the original error says more than an error of this rollback.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** SQLSTATEs of a deadlock, and of a lock that was not granted in time. */
const LOCKED_OUT: readonly string[] = ['40P01', '55P03'];

/** Whether a step failed because other transactions held locks on its tables; it may succeed when repeated. */
export const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && LOCKED_OUT.includes(String(error.code));

export type NewMove = Pick<
  MoveRow,
  'id' | 'state' | 'provider' | 'address' | 'clearance' | 'clearance_sha256' | 'receipt'
>;

/** Stores a move that begins, in place of an earlier one that is over. */
export async function writeMove(client: ClientBase, move: NewMove): Promise<void> {
  await client.query('delete from cell_move');
  await client.query(
    `insert into cell_move (id, state, provider, address, clearance, clearance_sha256, receipt)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      move.id,
      move.state,
      move.provider,
      move.address,
      move.clearance,
      move.clearance_sha256,
      move.receipt,
    ],
  );
}

/** Stores the words that identify the next copy, in place of those of an earlier copy. */
export async function setWords(
  client: ClientBase,
  words: Pick<MoveRow, 'clearance' | 'clearance_sha256' | 'receipt'>,
): Promise<void> {
  const values = [words.clearance, words.clearance_sha256, words.receipt];
  await client.query(
    'update cell_move set clearance = $1, clearance_sha256 = $2, receipt = $3',
    values,
  );
}

export async function setState(client: ClientBase, state: MoveState): Promise<void> {
  await client.query('update cell_move set state = $1, state_at = now()', [state]);
}

/**
 * Returns the changes that may still take effect, or whose effect is not settled yet: the oldest few, and the number of
 * all.
 */
export async function findUndecided(
  client: ClientBase,
): Promise<{ readonly count: number; readonly named: readonly string[] }> {
  const { rows } = await client.query<{ name: string; count: number }>(
    `select c.operation || ' ' || c.command_id as name, (count(*) over ())::int as count
     from change c
     where c.finished_at is null
       and (c.accepted_update_id is not null
            or exists (select from attempt a
                       where a.change_id = c.id and a.proven_at is null
                         and coalesce(a.verdict, 'unknown') = 'unknown'))
     order by c.accepted_at, c.id limit 5`,
  );
  return { count: rows[0]?.count ?? 0, named: rows.map(({ name }) => name) };
}

/**
 * Returns the streams whose participant has another history than this store. With such a stream, the copied data would
 * match no ledger.
 */
export async function foreignStreams(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ stream: string }>('select stream from foreign_ledger');
  return rows.map(({ stream }) => stream);
}
