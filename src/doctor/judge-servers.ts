import type { TombstoneSummary } from '../app/ports/tombstones.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';
import { DOCTOR_LIMITS } from './limits.ts';

/* Turns the state of the database's servers into findings with advice. Pure. */

/** One of several database servers, with its state. `why` gives the reason if the server cannot be used. */
export interface HostState {
  readonly place: string;
  readonly kind: 'primary' | 'standby' | 'older' | 'away';
  readonly why: string;
}

const WORDS = { primary: 'is the primary', standby: 'is a standby' } as const;

/** Returns findings about each of several servers. A single server is judged by its answers alone. */
export function judgeHosts(hosts: readonly HostState[]): Finding[] {
  const findings = hosts.map(({ place, kind, why }) => {
    if (kind === 'primary' || kind === 'standby')
      return well('database', `server ${place} ${WORDS[kind]}`);
    const todo =
      kind === 'older'
        ? 'Make the server a standby of the primary, with pg_rewind or a new base backup. Until then, Tenure does not write to the server.'
        : 'Start the server. While the server is unreachable, no standby can take over.';
    return wrong('database', `server ${place} ${why}`, todo);
  });
  if (hosts.some(({ kind }) => kind === 'primary')) return findings;
  const todo = 'Promote a standby, or start the primary. Until then, callers receive 503.';
  return [...findings, wrong('database', 'no server accepts writes', todo)];
}

export interface StandbyState {
  /** The setting `synchronous_standby_names`. */
  readonly wanted: string;
  readonly following: number;
  /** The number of commits that now wait for a standby, and the longest wait. */
  readonly waiting: number;
  readonly waitedMs: number;
}

/** Returns findings about whether committed rows are on two servers, and whether commits wait for the standby. */
export function judgeStandbys({ wanted, following, waiting, waitedMs }: StandbyState): Finding[] {
  if (waiting > 0 && waitedMs >= DOCTOR_LIMITS.commitWaitMs) {
    return [
      wrong(
        'database',
        `${waiting} ${waiting === 1 ? 'commit waits' : 'commits wait'} for a synchronous standby; the longest wait is ${Math.round(waitedMs / 1_000)} s`,
        'Start the standby, or remove the standby from synchronous_standby_names. Until then, a failover would lose accepted operations.',
      ),
    ];
  }
  if (wanted === '') return following === 0 ? [] : [asynchronous(following)];
  if (following > 0) return [well('database', `commits wait for the standby ${wanted}`)];
  return [
    wrong(
      'database',
      `commits wait for the standby ${wanted}, but no standby is replicating`,
      'Start the standby. Commits do not finish until the standby replicates.',
    ),
  ];
}

const asynchronous = (following: number): Finding =>
  wrong(
    'database',
    `${following} ${following === 1 ? 'connection streams' : 'connections stream'} the write-ahead log to a standby, but no commit waits for a standby; a failover would lose accepted operations`,
    'Set synchronous_standby_names, see "High availability" in docs/OPERATIONS.md; or never promote this standby.',
  );

/** Reports effects on the ledger whose operations are lost from the database. */
export function judgeLost({ count, newest }: TombstoneSummary): Finding[] {
  if (count === 0) return [];
  const named = newest.map(({ commandId, updateId }) => `${commandId} as update ${updateId}`);
  const more = count > newest.length ? ', …' : '';
  const what = `${count} ${count === 1 ? 'operation' : 'operations'} took effect on the ledger but ${count === 1 ? 'is' : 'are'} missing from the database, because a restore or failover has reset the database to an earlier state: ${named.join(', ')}${more}`;
  return [
    wrong(
      'database',
      what,
      'See "After a restore" in docs/OPERATIONS.md. Tenure never submits their command IDs again.',
    ),
  ];
}

/** Reports whether the replica can serve searches. */
export function judgeReplica(replica: {
  readonly place: string;
  /** How many bytes of the writes that were made before this request the replica had not yet replayed. */
  readonly behindBytes: number;
  readonly why: string | null;
}): Finding {
  const { place, behindBytes, why } = replica;
  const todo =
    'Read the log of the replica. Until the replica is repaired, the primary serves searches.';
  if (why !== null) return wrong('database', `the replica ${place} is unusable: ${why}`, todo);
  const words = `the replica ${place} is ${behindBytes} bytes behind the primary`;
  return behindBytes <= DOCTOR_LIMITS.replicaBytesMax
    ? well('database', words)
    : wrong('database', words, todo);
}
