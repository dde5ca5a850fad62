import type { ForeignLedger } from '../app/ports/foreign-ledgers.ts';
import { CLOCK_LEASE, EVENTS_LEASE, PROJECTOR_LEASE } from '../app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { QueueProbe } from '../app/ports/queue-probe.ts';
import type { SchemaState } from '../app/ports/schema-state.ts';
import type { TombstoneSummary } from '../app/ports/tombstones.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Inspection } from './inspect.ts';
import type { Finding } from './findings.ts';
import { unseen, well, wrong } from './findings.ts';
import type { StandbyState } from './judge-servers.ts';
import { judgeLost, judgeStandbys } from './judge-servers.ts';
import { INVARIANTS } from './invariants/violation.ts';
import { DOCTOR_LIMITS } from './limits.ts';

/* Turns the gathered facts into findings with advice. Pure. */

export interface ServerState {
  readonly version: string;
  /** The time of the server's clock, and this process's time at the same moment in milliseconds since 1970. */
  readonly at: string;
  readonly ourAtMs: number;
  readonly isReplica: boolean;
  /** Why a primary accepts no writes, and what to do about it. */
  readonly refusal: { readonly words: string; readonly todo: string } | null;
  readonly isDurable: boolean;
  /** The used part of the NOTIFY queue, from 0 to 1. */
  readonly notifyUsage: number;
  readonly standbys: StandbyState;
  readonly schema: SchemaState;
}

function judgeSchema({ schema }: ServerState): Finding {
  switch (schema.kind) {
    case 'current':
      return well('database', `the database schema is at migration ${schema.number}, the newest`);
    case 'behind':
      return wrong(
        'database',
        `the database schema is at migration ${schema.number} of ${schema.newest}`,
        'Start this version of Tenure. The first process that starts runs the missing migrations.',
      );
    case 'ahead':
      return wrong(
        'database',
        `the database schema is at migration ${schema.number}, but this version of Tenure only knows migrations up to ${schema.newest}`,
        'Use the version of Tenure that migrated the database, or a newer version.',
      );
    case 'changed':
      return wrong(
        'database',
        `migration file ${schema.fileName} differs from the migration that was applied to the database`,
        'Restore the original file, and write the change as a new migration.',
      );
    default:
      return unreachable(schema);
  }
}

export function judgeServer(server: ServerState): Finding[] {
  const findings = [well('database', `PostgreSQL ${server.version} answers`), judgeSchema(server)];
  if (server.isReplica) {
    findings.push(
      wrong(
        'database',
        'the database server is a replica, which accepts no writes',
        'Set DATABASE_URL to the address of the primary.',
      ),
    );
  }
  if (server.refusal !== null) {
    findings.push(wrong('database', server.refusal.words, server.refusal.todo));
  }
  if (!server.isDurable) {
    findings.push(
      wrong(
        'database',
        'synchronous_commit is off; a crash of the server can lose accepted operations',
        'Set synchronous_commit to on for the database user of Tenure.',
      ),
    );
  }
  // A queue that is completely full is already reported, as the server's reason for accepting no writes.
  if (server.refusal === null && server.notifyUsage >= DOCTOR_LIMITS.notifyUsageMax) {
    findings.push(
      wrong(
        'database',
        `the NOTIFY queue of the database is ${Math.floor(server.notifyUsage * 100)} % full; when the queue is full, the database accepts no writes`,
        'End the listening session that is idle in a transaction. In pg_stat_activity, the session has the oldest xact_start.',
      ),
    );
  }
  return [...findings, ...judgeStandbys(server.standbys)];
}

export interface ParticipantState {
  readonly name: ParticipantName;
  readonly where: string;
  /** `null` if the participant cannot be asked; then `why` gives the reason. */
  readonly answer: {
    readonly version: string;
    readonly ledgerUser: string;
    readonly actAs: readonly Party[];
    readonly ledgerEnd: bigint;
    /**
     * The number of connected synchronizers for each party in `actAs`; `null` if the participant does not report it.
     */
    readonly synchronizers: ReadonlyMap<Party, number> | null;
  } | null;
  readonly why: string;
}

export function judgeParticipant(state: ParticipantState): Finding[] {
  const { name, where, answer } = state;
  if (answer === null) {
    return [
      wrong(
        'ledger',
        `participant ${name} at ${where} cannot be queried: ${state.why}`,
        'Check that the participant runs, that its address is correct, and that the authorization server issues tokens. Operations wait and continue automatically when the participant answers.',
      ),
    ];
  }
  const { version, ledgerUser, actAs } = answer;
  const findings = [
    well('ledger', `participant ${name} at ${where} answers; its version is ${version}`),
  ];
  findings.push(
    actAs.length > 0
      ? well(
          'ledger',
          `ledger user ${ledgerUser} can act as ${actAs.join(', ')} on participant ${name}`,
        )
      : wrong(
          'ledger',
          `ledger user ${ledgerUser} cannot act as any party on participant ${name}`,
          `Grant CanActAs for the provider party to ledger user ${ledgerUser} on participant ${name}.`,
        ),
  );
  return [...findings, ...judgeConnection(name, answer.synchronizers)];
}

/** Reports whether a participant is connected. A disconnected one still answers, but nothing new is recorded on it. */
function judgeConnection(
  name: ParticipantName,
  synchronizers: ReadonlyMap<Party, number> | null,
): Finding[] {
  if (synchronizers === null) {
    return [unseen('ledger', `participant ${name} does not report its connected synchronizers`)];
  }
  return [...synchronizers].map(([party, count]) =>
    count > 0
      ? well('ledger', `participant ${name} is connected to a synchronizer for ${party}`)
      : wrong(
          'ledger',
          `participant ${name} is not connected to any synchronizer for ${party}`,
          'Read the log of the participant, and reconnect the participant (`participant.synchronizers.reconnect_all()` in its console), or host the party on a connected synchronizer. Operations wait and continue automatically after the reconnection.',
        ),
  );
}

/**
 * Reports where parties are hosted. The provider must be hosted on the participant whose updates are read; other
 * parties may be hosted on any participant.
 */
export function judgeHosting(
  provider: Party | null,
  projected: ParticipantState | undefined,
): Finding[] {
  if (projected?.answer == null) {
    return [
      unseen(
        'ledger',
        'the hosting of the provider party was not checked, because the participant cannot be queried',
      ),
    ];
  }
  const { actAs, ledgerUser } = projected.answer;
  if (provider === null) {
    return [
      wrong(
        'ledger',
        `APP_PROVIDER_PARTY is not set, and ledger user ${ledgerUser} can act as ${actAs.length} parties on participant ${projected.name}`,
        'Set APP_PROVIDER_PARTY to the provider party.',
      ),
    ];
  }
  if (actAs.includes(provider)) {
    return [well('ledger', `participant ${projected.name} hosts the provider ${provider}`)];
  }
  return [
    wrong(
      'ledger',
      `ledger user ${ledgerUser} cannot act as the provider ${provider} on participant ${projected.name}`,
      'Grant CanActAs for the provider party to the ledger user, or correct APP_PROVIDER_PARTY.',
    ),
  ];
}

export function judgeTypes(known: readonly string[], wanted: readonly string[]): Finding[] {
  const missing = wanted.filter((type) => !known.includes(type));
  if (missing.length === 0) {
    return [
      well(
        'ledger',
        `the participant knows all ${wanted.length} required templates and interfaces`,
      ),
    ];
  }
  const todo =
    'Upload and vet the DAR that contains the missing type on the provider’s participant. Until then, Tenure refuses requests that need this type.';
  return missing.map((type) => wrong('ledger', `the participant does not know ${type}`, todo));
}

export interface StreamState {
  readonly stream: string;
  readonly offset: bigint;
}

/**
 * Reports whether each stream is followed, and whether it has caught up with its participant.
 *
 * @param later the positions shortly after the ledger ends were read: a stream whose position has moved is being
 * followed
 */
export function judgeStreams(
  participants: readonly ParticipantState[],
  projected: ParticipantName,
  later: readonly StreamState[],
): Finding[] {
  return participants.flatMap(({ name, answer }) => {
    const streams = [...(name === projected ? [UPDATES_STREAM] : []), completionsStream(name)];
    return streams.map((stream) => {
      if (answer === null)
        return unseen(
          'streams',
          `stream ${stream} was not checked, because participant ${name} cannot be queried`,
        );
      const at = later.find((found) => found.stream === stream)?.offset;
      if (at === undefined) {
        return wrong(
          'streams',
          `no projector follows stream ${stream}`,
          'Check that a process with the role projector runs, and read its log. Until a projector follows the stream, no operation is accepted for this participant.',
        );
      }
      if (at >= answer.ledgerEnd)
        return well(
          'streams',
          `stream ${stream} has processed offset ${at}, the ledger end of participant ${name}`,
        );
      return wrong(
        'streams',
        `stream ${stream} has processed offset ${at}, but the ledger end of participant ${name} is ${answer.ledgerEnd}`,
        'Check that a process with the role projector runs, and read its log. Callers wait until the stream has caught up.',
      );
    });
  });
}

/** The role whose processes take each lease, because names of leases and of roles differ. */
const ROLE_OF_LEASE: Readonly<Record<string, 'projector' | 'clock' | undefined>> = {
  [PROJECTOR_LEASE]: 'projector',
  [CLOCK_LEASE]: 'clock',
  [EVENTS_LEASE]: 'clock',
};

/** Reports foreign ledgers. @param foreign the ledgers that the process which follows them has marked as foreign */
export function judgeLedgers(foreign: readonly ForeignLedger[]): Finding[] {
  if (foreign.length === 0) {
    return [
      well(
        'ledger',
        'no participant with a foreign ledger was detected; the query store matches the ledgers that were checked',
      ),
    ];
  }
  return foreign.map(({ stream, participant, reason, since }) =>
    wrong(
      'ledger',
      `Tenure has sent no commands to participant ${participant} since ${since}, because stream ${stream} showed a foreign ledger: ${reason}`,
      'Reconnect the participant that the query store has followed. Operations then continue automatically. If that participant is lost permanently, see "Another ledger" in docs/OPERATIONS.md.',
    ),
  );
}

export function judgeLeases(
  leases: readonly {
    readonly name: string;
    readonly holder: string;
    readonly expiresAt: string;
    readonly isHeld: boolean;
  }[],
): Finding[] {
  const known = leases.some(({ name }) => name === PROJECTOR_LEASE)
    ? leases
    : [...leases, { name: PROJECTOR_LEASE, holder: 'none', expiresAt: 'no time', isHeld: false }];
  return known.map(({ name, holder, expiresAt, isHeld }) =>
    isHeld
      ? well('leases', `process ${holder} holds the lease ${name}`)
      : wrong(
          'leases',
          `no process holds the lease ${name}; the last holder was ${holder}, and its lease expired at ${expiresAt}`,
          `Start a process with the role ${ROLE_OF_LEASE[name] ?? name}.`,
        ),
  );
}

export function judgeOutbox(outbox: {
  readonly open: number;
  readonly due: number;
  readonly oldestDueMs: number;
}): Finding[] {
  const { open, due, oldestDueMs } = outbox;
  if (due === 0 || oldestDueMs <= DOCTOR_LIMITS.outboxMsMax) {
    return [well('outbox', `${open} effects are in the outbox, ${due} of them due for dispatch`)];
  }
  return [
    wrong(
      'outbox',
      `${due} effects are due but not dispatched; the oldest has been due for ${Math.round(oldestDueMs / 1_000)} s`,
      'Check that a process with the role worker runs and reaches the queue, and read its log.',
    ),
  ];
}

const MADE_BY_WORKERS =
  'Start a process with the role worker. A running worker recreates the tables within seconds. No operation is lost: the relay dispatches due effects again.';

export function judgeQueue(queue: QueueProbe): Finding[] {
  switch (queue.kind) {
    case 'counts': {
      const { waiting, active, anew } = queue;
      const made = anew === null ? '' : `; the queue was recreated at ${anew.at}: ${anew.because}`;
      return [well('queue', `${waiting} jobs are waiting and ${active} are active${made}`)];
    }
    case 'empty':
      return [wrong('queue', 'the queue has no tables in the database', MADE_BY_WORKERS)];
    case 'damaged':
      return [wrong('queue', `the queue is unusable: ${queue.why}`, MADE_BY_WORKERS)];
    case 'unreachable':
      return [
        wrong(
          'queue',
          `the queue at ${queue.where} is unusable: ${queue.why}`,
          'Start Redis, or correct REDIS_URL. No operation is lost: due effects stay in the outbox.',
        ),
      ];
    case 'unwritable':
      return [
        wrong(
          'queue',
          `the queue at ${queue.where} accepts no jobs: ${queue.why}`,
          'Give Redis more memory, or connect Tenure to the Redis primary. No operation is lost: due effects stay in the outbox, and the relay dispatches them automatically when Redis accepts jobs.',
        ),
      ];
    default:
      return unreachable(queue);
  }
}

interface OperationLine {
  readonly changeId: string;
  readonly commandId: string;
  readonly operation: string;
  readonly detail: string;
  readonly since: string;
}

export function judgeOperations(vitals: {
  readonly operations: ReadonlyMap<string, number>;
  readonly inDoubt: readonly OperationLine[];
  readonly overdue: readonly (OperationLine & { readonly kind: string })[];
  readonly lost: TombstoneSummary;
}): Finding[] {
  const counts = [...vitals.operations].map(([state, number]) => `${number} ${state}`);
  const open =
    counts.length === 0 ? 'no operation is open' : `open operations: ${counts.join(', ')}`;
  const inDoubt = vitals.inDoubt.map(({ operation, commandId, since, detail }) =>
    wrong(
      'operations',
      `${operation} ${commandId} has been in doubt since ${since}: ${detail}`,
      'Check on the ledger whether the operation took effect, and record your decision. Later operations of the same lane wait for the decision.',
    ),
  );
  const doubted = new Set(vitals.inDoubt.map(({ changeId }) => changeId));
  const overdue = vitals.overdue
    .filter(({ changeId }) => !doubted.has(changeId))
    .map(({ operation, commandId, kind, since, detail }) =>
      wrong(
        'operations',
        `${operation} ${commandId} has waited too long for ${kind}, since ${since}: ${detail}`,
        'Check the named reason for waiting. The operation continues automatically when the reason no longer applies.',
      ),
    );
  return [well('operations', open), ...inDoubt, ...overdue, ...judgeLost(vitals.lost)];
}

export function judgeInspection({ violations, isTruncated, looked, notes }: Inspection): Finding[] {
  const counts = [...looked].map(([what, number]) => `${number} ${what}`).join(', ');
  const broken = violations.map((violation): Finding => ({
    area: 'invariants',
    level: 'wrong',
    what: `${violation.invariant}: ${violation.what}`,
    todo: violation.todo,
    violation,
  }));
  if (isTruncated) {
    const first = `the check stopped after ${violations.length} violations; more may exist`;
    broken.push(unseen('invariants', first));
  }
  const told = notes.map((note) => unseen('invariants', note));
  if (violations.length > 0) return [...broken, ...told];
  return [
    well('invariants', `no violation of invariants I1 to ${INVARIANTS.at(-1)} in ${counts}`),
    ...told,
  ];
}
