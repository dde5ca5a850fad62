import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Finding } from '../doctor/findings.ts';
import { well, wrong } from '../doctor/findings.ts';
import { judgeProcessClocks, judgeRoles } from '../doctor/judge-clocks.ts';
import type { HostState } from '../doctor/judge-servers.ts';
import { judgeHosts, judgeReplica } from '../doctor/judge-servers.ts';
import { errorLine } from '../domain/error-text.ts';
import { readClocks } from '../store/desk/vitals.ts';
import { hostsInWords, readDatabaseUrl } from '../store/sql/database-url.ts';
import { openPool } from '../store/sql/pool.ts';
import { openReplica } from '../store/sql/replica.ts';
import type { HostAnswer } from '../store/sql/servers.ts';
import { askServers, olderInWords, unfitToWrite } from '../store/sql/servers.ts';
import type { Config } from './config.ts';
import { MORE_CONNECTIONS, shortOfConnections } from './connections.ts';
import { sumConnections } from './database.ts';
import { MAIN_LIMITS } from './limits.ts';

/* The doctor's checks of the database servers. The contents of the tables are checked elsewhere. */

function stateOf({ host, facts, error }: HostAnswer): HostState {
  const place = `${host.host}:${host.port}`;
  if (facts === null) return { place, kind: 'away', why: `does not answer: ${errorLine(error)}` };
  const older = olderInWords(facts);
  if (older !== null) return { place, kind: 'older', why: older };
  if (facts.isStandby) return { place, kind: 'standby', why: '' };
  const why = unfitToWrite(facts);
  return why === null ? { place, kind: 'primary', why: '' } : { place, kind: 'away', why };
}

/** Opens the pool that an examination uses. */
export const openExaminedPool = (url: string, signal: AbortSignal): Promise<Pool> =>
  openPool({
    url,
    max: 2,
    pipelined: true,
    applicationName: 'tenure-doctor',
    pinsSchema: true,
    statementTimeoutMs: MAIN_LIMITS.doctorStatementMs,
    signal,
  });

/** Checks each server, if there are several. */
export async function findHosts(url: string): Promise<readonly Finding[]> {
  const address = readDatabaseUrl(url);
  if (address === null || address.hosts.length === 1) return [];
  return judgeHosts((await askServers(address)).map(stateOf));
}

/** Checks whether the replica can serve searches. */
export async function findReplica(
  { replicaUrl: url }: Pick<Config, 'replicaUrl'>,
  primary: Pool,
  { signal, deadlineMs }: Io,
): Promise<readonly Finding[]> {
  if (url === null) return [];
  const open = () =>
    openPool({
      url,
      serves: 'readers',
      max: 1,
      pinsSchema: true,
      applicationName: 'tenure-doctor',
      signal,
    });
  const replica = openReplica({ primary, open, onUnused: () => undefined });
  const address = readDatabaseUrl(url);
  const place = address === null ? '' : hostsInWords(address);
  try {
    const behindBytes = await replica.behindBytes({ signal, deadlineMs });
    return [judgeReplica({ place, behindBytes, why: null })];
  } catch (error) {
    signal.throwIfAborted();
    return [judgeReplica({ place, behindBytes: 0, why: errorLine(error) })];
  } finally {
    await replica.close();
  }
}

/**
 * Checks which roles are running, and the clock of each process as that process measured it: the doctor may run on
 * another machine.
 */
export async function findProcessClocks(
  { proof }: Config,
  pool: Pool,
  io: Io,
): Promise<readonly Finding[]> {
  try {
    const reports = await readClocks(pool, io);
    return [...judgeProcessClocks(reports, proof.clockDifferenceMs), ...judgeRoles(reports)];
  } catch (error) {
    io.signal.throwIfAborted();
    const todo = 'Read the log of the database, and run `tenure doctor` again.';
    return [
      wrong(
        'clocks',
        `the clock reports of the processes are unreadable: ${errorLine(error)}`,
        todo,
      ),
    ];
  }
}

/** Checks whether the server has enough connections for the running processes. */
export async function findConnections(
  config: Config,
  pool: Pool,
  io: Io,
): Promise<readonly Finding[]> {
  try {
    const sum = await sumConnections(config, pool, io);
    const short = shortOfConnections(sum);
    if (short !== null) return [wrong('database', short, MORE_CONNECTIONS)];
    if (sum.processes === 0) return [];
    const words = `the running processes open up to ${sum.wanted} connections, and the database allows ${sum.usable - sum.others}`;
    return [well('database', words)];
  } catch (error) {
    io.signal.throwIfAborted();
    return [
      wrong(
        'database',
        `the connections of the database cannot be counted: ${errorLine(error)}`,
        'Read the log of the database.',
      ),
    ];
  }
}
