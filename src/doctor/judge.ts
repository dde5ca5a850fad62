import { PATIENCE_MS } from '../app/desk/overdue.ts';
import { CLOCK_LEASE, EVENTS_LEASE, PROJECTOR_LEASE } from '../app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { ParticipantCause } from '../domain/participant-health.ts';
import { isStandstill } from '../domain/participant-health.ts';
import type { QueueProbe } from '../app/ports/queue-probe.ts';
import type { SchemaState } from '../app/ports/schema-state.ts';
import type { TombstoneSummary } from '../app/ports/tombstones.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { isoToMs } from '../domain/time.ts';
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
      return well('database', `migrated to ${schema.number}, the newest`);
    case 'behind':
      return wrong(
        'database',
        `the database is at migration ${schema.number} of ${schema.newest}`,
        'Start this version of Tenure: whichever role starts first migrates.',
      );
    case 'ahead':
      return wrong(
        'database',
        `the database is at migration ${schema.number}, and this version knows ${schema.newest}`,
        'Use the version of Tenure that runs there.',
      );
    case 'changed':
      return wrong(
        'database',
        `${schema.fileName} is another one than was applied here`,
        'Restore the file, and put the change into a new migration.',
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
        'the database is a replica, which takes no writes',
        'Point DATABASE_URL to the primary.',
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
        'synchronous_commit is off: what was accepted can be lost when the server crashes',
        'Set synchronous_commit to on, or leave it at its default, for the user of Tenure.',
      ),
    );
  }
  // A queue that is completely full is already reported, as the server's reason for accepting no writes.
  if (server.refusal === null && server.notifyUsage >= DOCTOR_LIMITS.notifyUsageMax) {
    findings.push(
      wrong(
        'database',
        `the NOTIFY queue of the database is ${Math.floor(server.notifyUsage * 100)} % full: when it is full, nothing is written`,
        'End the session that listens and is idle in a transaction: see pg_stat_activity for the oldest xact_start.',
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
        `participant ${name} at ${where} cannot be asked: ${state.why}`,
        'See whether it runs, whether the address is right, and whether the authorization server gives out tokens. Operations wait and go on by themselves.',
      ),
    ];
  }
  const { version, ledgerUser, actAs } = answer;
  const findings = [well('ledger', `participant ${name} at ${where} answers, version ${version}`)];
  findings.push(
    actAs.length > 0
      ? well('ledger', `${ledgerUser} may act as ${actAs.join(', ')} on ${name}`)
      : wrong(
          'ledger',
          `${ledgerUser} may act as nobody on ${name}`,
          `Grant CanActAs for the party to ledger user ${ledgerUser} on participant ${name}.`,
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
    return [unseen('ledger', `${name} does not say to which synchronizers it is connected`)];
  }
  return [...synchronizers].map(([party, count]) =>
    count > 0
      ? well('ledger', `${name} is connected to a synchronizer for ${party}`)
      : wrong(
          'ledger',
          `${name} is connected to no synchronizer for ${party}`,
          'See on the participant why, and connect it again (`participant.synchronizers.reconnect_all()` in its console), or host the party there. Operations wait and go on by themselves.',
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
    return [unseen('ledger', 'hosting of the provider: its participant cannot be asked')];
  }
  const { actAs, ledgerUser } = projected.answer;
  if (provider === null) {
    return [
      wrong(
        'ledger',
        `APP_PROVIDER_PARTY is missing, and ${ledgerUser} may act as ${actAs.length} parties on ${projected.name}`,
        'Set APP_PROVIDER_PARTY.',
      ),
    ];
  }
  if (actAs.includes(provider)) {
    return [well('ledger', `the provider ${provider} is hosted on ${projected.name}`)];
  }
  return [
    wrong(
      'ledger',
      `${ledgerUser} may not act as the provider ${provider} on ${projected.name}`,
      'Grant CanActAs for it, or correct APP_PROVIDER_PARTY.',
    ),
  ];
}

export function judgeTypes(known: readonly string[], wanted: readonly string[]): Finding[] {
  const missing = wanted.filter((type) => !known.includes(type));
  if (missing.length === 0) {
    return [well('ledger', `all ${wanted.length} templates and interfaces are known there`)];
  }
  const todo =
    'Upload and vet the DAR that has them on the provider’s participant; what needs them is refused until then.';
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
      if (answer === null) return unseen('streams', `${stream}: ${name} cannot be asked`);
      const at = later.find((found) => found.stream === stream)?.offset;
      if (at === undefined) {
        return wrong(
          'streams',
          `${stream} is not followed`,
          'See whether a process with the role projector runs, and what its log says. Until then nothing is accepted for this participant.',
        );
      }
      if (at >= answer.ledgerEnd)
        return well('streams', `${stream} stands at ${at}, where ${name} ended`);
      return wrong(
        'streams',
        `${stream} stands at ${at}, behind ${name}, which ended at ${answer.ledgerEnd} a moment ago`,
        'See whether a process with the role projector runs, and what its log says; callers wait until it has caught up.',
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

/** Reports the ledgers that the process which follows them has marked as foreign. */
export function judgeLedgers(causes: readonly ParticipantCause[]): Finding[] {
  const foreign = causes.filter(({ kind }) => kind === 'foreign');
  if (foreign.length === 0) {
    return [
      well('ledger', 'as far as they were looked at, all ledgers are those that the store follows'),
    ];
  }
  return foreign.map(({ stream, participant, detail, since }) =>
    wrong(
      'ledger',
      `nothing is sent to participant ${participant} since ${since}, by what ${stream} showed: ${detail}`,
      'Put the participant back that the store has followed: everything goes on by itself then. If it is gone for good, see "Another ledger" in docs/OPERATIONS.md.',
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
    : [...leases, { name: PROJECTOR_LEASE, holder: 'nobody', expiresAt: 'never', isHeld: false }];
  return known.map(({ name, holder, expiresAt, isHeld }) =>
    isHeld
      ? well('leases', `${name} is held by ${holder}`)
      : wrong(
          'leases',
          `nobody holds the lease ${name}; ${holder} had it until ${expiresAt}`,
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
    return [well('outbox', `${open} effects are open, ${due} of them due`)];
  }
  return [
    wrong(
      'outbox',
      `${due} effects are due and not dispatched, the oldest for ${Math.round(oldestDueMs / 1_000)} s`,
      'See whether a process with the role worker runs, whether it reaches the queue, and what its log says.',
    ),
  ];
}

const MADE_BY_WORKERS =
  'Start a process with the role worker. One that runs makes them anew within seconds; nothing is lost, what is due is dispatched again.';

export function judgeQueue(queue: QueueProbe): Finding[] {
  switch (queue.kind) {
    case 'counts': {
      const { waiting, active, anew } = queue;
      const made = anew === null ? '' : `; it was made anew at ${anew.at}: ${anew.because}`;
      return [well('queue', `${waiting} jobs wait and ${active} run${made}`)];
    }
    case 'empty':
      return [wrong('queue', 'the queue has no tables', MADE_BY_WORKERS)];
    case 'damaged':
      return [wrong('queue', `the queue cannot be used: ${queue.why}`, MADE_BY_WORKERS)];
    case 'unreachable':
      return [
        wrong(
          'queue',
          `the queue at ${queue.where} cannot be used: ${queue.why}`,
          'Start it, or correct REDIS_URL. Nothing is lost: what is due stays due.',
        ),
      ];
    case 'unwritable':
      return [
        wrong(
          'queue',
          `the queue at ${queue.where} takes no jobs: ${queue.why}`,
          'Give it room, or make it the primary. Nothing is lost: what is due stays due, and goes on by itself.',
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
      `${operation} ${commandId} is in doubt since ${since}: ${detail}`,
      'Compare with the ledger whether it took effect, and record what you found; its lane waits for that.',
    ),
  );
  const doubted = new Set(vitals.inDoubt.map(({ changeId }) => changeId));
  const overdue = vitals.overdue
    .filter(({ changeId }) => !doubted.has(changeId))
    .map(({ operation, commandId, kind, since, detail }) =>
      wrong(
        'operations',
        `${operation} ${commandId} waits too long for ${kind}, since ${since}: ${detail}`,
        'See what it waits for; it goes on by itself as soon as that is there.',
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
    const first = `only the first ${violations.length} violations are listed`;
    broken.push(unseen('invariants', first));
  }
  const told = notes.map((note) => unseen('invariants', note));
  if (violations.length > 0) return [...broken, ...told];
  return [well('invariants', `I1 to ${INVARIANTS.at(-1)} hold of ${counts}`), ...told];
}

const STANDSTILL_ADVICE = {
  behind:
    'Look at the participant and at what is between it and the network. Operations wait and go on by themselves when it has caught up.',
  gone: 'See on the participant whether it will be connected again: then all goes on by itself. If it never will be, see "Behind, quiet and gone" in docs/OPERATIONS.md.',
  clock:
    'Put the clocks of the participant, of its sequencers and of the database right. What is submitted after that shows whether they agree.',
  replay:
    'Requests go on by themselves when the ledger has told what took effect: see "After a restore" in docs/OPERATIONS.md. Where a cause is named, mend that.',
} as const;

/** Returns a finding for each standstill. @param nowMs this process's time in milliseconds since 1970 */
export function judgeStandstills(causes: readonly ParticipantCause[], nowMs: number): Finding[] {
  const findings = causes.flatMap(({ participant, kind, since, detail }): Finding[] => {
    if (!isStandstill(kind)) return [];
    const what = `${participant} is ${kind} since ${since}: ${detail}`;
    // A quiet ledger is not a fault: operations that wait too long for it are reported separately.
    const isWrong = kind !== 'quiet' && nowMs - isoToMs(since) > PATIENCE_MS[kind];
    return [isWrong ? wrong('streams', what, STANDSTILL_ADVICE[kind]) : well('streams', what)];
  });
  return findings.length === 0 ? [well('streams', 'no participant stands still')] : findings;
}
