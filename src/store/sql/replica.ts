import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { sleep } from '../../app/ports/wakeup.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Ask } from './ask.ts';
import { ask } from './ask.ts';
import { isDatabaseUnavailable } from './deadline.ts';
import type { Session } from './session.ts';
import { plannedAnew } from './statement.ts';
import { onConnection } from './transact.ts';

/*
 * Runs searches and counts on a replica, to relieve the primary. A replica may answer only after it has replayed
 * everything that the primary had written at the time of the request. So each caller sees its own last write, whichever
 * process made that write. The read waits a moment for the replica. If the replica takes longer or fails, it is not
 * used for a while, and the primary answers instead.
 */

const WRITTEN = plannedAnew<{ lsn: string }>(
  'replica-written',
  'select pg_current_wal_flush_lsn()::text as lsn',
);

/** Also true for a server that is not a standby, because such a server has nothing to replay. */
const REPLAYED = plannedAnew<{ is: boolean }>(
  'replica-replayed',
  'select not pg_is_in_recovery() or coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as is',
);

const BEHIND = plannedAnew<{ bytes: number }>(
  'replica-behind',
  `select case when pg_is_in_recovery()
               then greatest(0, coalesce(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 'Infinity'))::float8
               else 0 end as bytes`,
);

/** Thrown if the replica lacks recent writes of the primary. */
export class ReplicaBehindError extends Error {
  override readonly name = 'ReplicaBehindError';
  constructor() {
    super(`the replica has not replayed the latest writes within ${STORE_LIMITS.replicaWaitMs} ms`);
  }
}

/** Thrown if the configured replica belongs to another cluster than the primary. */
export class ForeignReplicaError extends Error {
  override readonly name = 'ForeignReplicaError';
  constructor(found: string, wanted: string) {
    super(
      `DATABASE_REPLICA_URL names a server of cluster ${found}, but DATABASE_URL names one of cluster ${wanted}: both must belong to the same cluster`,
    );
  }
}

export interface ReplicaOptions {
  readonly primary: Pool;
  /** Connects to the replica. Called at the first use, and again after a failure. */
  readonly open: () => Promise<Pool>;
  /**
   * Called when the primary has to answer instead of the replica, once in each period in which the replica is not used.
   */
  readonly onUnused: (error: unknown) => void;
}

/** How many answers this process got from the replica and from the primary. */
export interface ReplicaCounts {
  replica: number;
  primary: number;
}

export interface Replica {
  readonly ask: Ask;
  readonly counts: Readonly<ReplicaCounts>;
  /**
   * Returns how many bytes of the primary's writes the replica has not replayed yet.
   *
   * @throws ForeignReplicaError, or another error if a server cannot be asked
   */
  behindBytes(io: Io): Promise<number>;
  close(): Promise<void>;
}

/** The primary's position in the write-ahead log of its cluster. */
interface Written {
  readonly lsn: string;
  readonly system: string | null;
}

async function writtenBy(primary: Pool, io: Io): Promise<Written> {
  return onConnection(primary, io, async (session) => {
    const [row] = await session.run(WRITTEN);
    if (row === undefined) throw new Error('the primary does not report its write position');
    return { lsn: row.lsn, system: session.system };
  });
}

/**
 * Checked for each connection, because another server may have got the replica's address. @throws ForeignReplicaError
 */
function requireSameCluster({ system: found }: Session, { system: wanted }: Written): void {
  if (found === null || wanted === null || found === wanted) return;
  throw new ForeignReplicaError(found, wanted);
}

/** @throws ReplicaBehindError, ForeignReplicaError */
async function requireReplayed(
  session: Session,
  written: Written,
  signal: AbortSignal,
): Promise<void> {
  requireSameCluster(session, written);
  const endsAtMs = performance.now() + STORE_LIMITS.replicaWaitMs;
  for (;;) {
    const [row] = await session.run(REPLAYED, [written.lsn]);
    if (row?.is === true) return;
    if (performance.now() >= endsAtMs) throw new ReplicaBehindError();
    await sleep(STORE_LIMITS.replicaLookMs, signal);
    signal.throwIfAborted();
  }
}

const isOfReplica = (error: unknown): boolean =>
  error instanceof ReplicaBehindError || error instanceof ForeignReplicaError;

export function openReplica({ primary, open, onUnused }: ReplicaOptions): Replica {
  const counts = { replica: 0, primary: 0 };
  let opened: Promise<Pool> | null = null;
  let restsUntilMs = -Infinity;

  const pool = (): Promise<Pool> =>
    (opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    }));
  const askReplica: Ask = async (io, work) => {
    const written = await writtenBy(primary, io);
    return ask(await pool(), io, work, (session) => requireReplayed(session, written, io.signal));
  };
  const askPrimary: Ask = (io, work) => {
    counts.primary += 1;
    return ask(primary, io, work);
  };
  return {
    counts,
    ask: async (io, work) => {
      if (performance.now() < restsUntilMs) return askPrimary(io, work);
      try {
        const found = await askReplica(io, work);
        counts.replica += 1;
        return found;
      } catch (error) {
        io.signal.throwIfAborted();
        if (!isOfReplica(error) && !isDatabaseUnavailable(error)) throw error;
        restsUntilMs = performance.now() + STORE_LIMITS.replicaRestMs;
        onUnused(error);
        return askPrimary(io, work);
      }
    },
    behindBytes: async (io) => {
      const written = await writtenBy(primary, io);
      const [row] = await onConnection(await pool(), io, async (session) => {
        requireSameCluster(session, written);
        return session.run(BEHIND, [written.lsn]);
      });
      return row?.bytes ?? Infinity;
    },
    close: async () => {
      await (await opened?.catch(() => null))?.end();
    },
  };
}
