import type { ClockReport } from '../app/ports/clocks.ts';
import { isBeyond } from '../domain/clock-difference.ts';
import { DOCTOR_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { isoToMs } from '../domain/time.ts';
import type { Finding } from './findings.ts';
import { unseen, well, wrong } from './findings.ts';
import type { ServerState } from './judge.ts';

/* Turns differences between clocks into findings with advice. Pure. */

const apart = (ms: number): string => `${(Math.abs(ms) / 1_000).toFixed(1)} s`;

/** A time that the ledger reported, as ISO 8601, and our time at its arrival, in milliseconds since 1970. */
export interface LedgerTime {
  readonly at: string;
  readonly ourAtMs: number;
}

function judgeDatabaseClock({ at, ourAtMs }: ServerState): Finding {
  const aheadMs = isoToMs(at) - ourAtMs;
  if (Math.abs(aheadMs) <= DOCTOR_LIMITS.clocksApartMsMax) {
    return well(
      'clocks',
      `the clocks of the database and of this machine differ by ${apart(aheadMs)}`,
    );
  }
  return wrong(
    'clocks',
    `the database's clock is ${apart(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's clock`,
    'Synchronize the clocks of both machines with NTP. Tenure compares due times with the database’s clock.',
  );
}

/**
 * Returns findings about the clocks of the database and the ledger.
 *
 * @param server `null` if the server could not be asked
 * @param ledger `null` if the ledger reported no time
 * @param isStatic whether the ledger's time is set by hand, so that it may be any time
 */
export function judgeClocks(
  server: ServerState | null,
  ledger: LedgerTime | null,
  isStatic: boolean,
): Finding[] {
  const findings = [
    server === null
      ? unseen(
          'clocks',
          'the database’s clock was not checked, because the database is unreachable',
        )
      : judgeDatabaseClock(server),
  ];
  if (ledger === null)
    return [
      ...findings,
      unseen('clocks', 'the ledger reported no time, so its clock was not checked'),
    ];
  if (isStatic) {
    return [
      ...findings,
      well('clocks', `the ledger runs on static time, which is set manually to ${ledger.at}`),
    ];
  }
  const aheadMs = isoToMs(ledger.at) - ledger.ourAtMs;
  if (aheadMs > LIMITS.ledgerSkewMs) {
    findings.push(
      wrong(
        'clocks',
        `the ledger's clock is ${apart(aheadMs)} ahead of this machine's clock`,
        'Synchronize this machine’s clock with NTP. With a late clock, Tenure treats expired licences as valid.',
      ),
    );
  } else if (aheadMs > 0) {
    findings.push(
      well('clocks', `the ledger's clock is ${apart(aheadMs)} ahead of this machine's clock`),
    );
  } else {
    // An idle ledger's newest time stays the same, whatever its clock shows. The running processes measure the clocks
    // of its synchronizers instead.
    const quiet = aheadMs < -DOCTOR_LIMITS.ledgerStaleMs ? 'the ledger is idle; ' : '';
    findings.push(
      well(
        'clocks',
        `${quiet}the newest record time of the ledger is ${apart(aheadMs)} old and not ahead of this machine's clock`,
      ),
    );
  }
  return findings;
}

/** Returns the name of a process without the part that changes at a restart. */
const shown = ({ process, roles }: ClockReport): string =>
  `${process.split(':').slice(0, 2).join(':')} (${roles})`;

const KEEP_TIME = 'Synchronize the clocks of the machines with NTP.';

function judgeProcessClock(report: ClockReport, boundMs: number): Finding[] {
  const { difference, ledgerApartMs } = report;
  const findings: Finding[] = [];
  if (difference === null) {
    findings.push(
      unseen(
        'clocks',
        `process ${shown(report)} has not compared its clock with the database's clock yet`,
      ),
    );
  } else {
    const { aheadMs } = difference;
    const apartFrom = `the clock of process ${shown(report)} is ${apart(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's clock`;
    if (isBeyond(difference, boundMs)) {
      const refused = `${apartFrom}; the process refuses requests that depend on its clock`;
      findings.push(
        wrong(
          'clocks',
          refused,
          `${KEEP_TIME} The process then accepts these requests again automatically.`,
        ),
      );
    } else if (isBeyond(difference, DOCTOR_LIMITS.clocksApartMsMax)) {
      findings.push(wrong('clocks', apartFrom, KEEP_TIME));
    } else findings.push(well('clocks', apartFrom));
  }
  if (ledgerApartMs !== null && Math.abs(ledgerApartMs) > boundMs) {
    findings.push(
      wrong(
        'clocks',
        `process ${shown(report)} has observed a ledger clock that is at least ${apart(ledgerApartMs)} ${ledgerApartMs > 0 ? 'ahead of' : 'behind'} the database's clock; Tenure does not use the time of this ledger clock as a proof`,
        `${KEEP_TIME} Notify the operators of the participants and of the synchronizer.`,
      ),
    );
  }
  return findings;
}

/** Returns findings about the clocks of the running processes. @param reports the reports of all running processes */
export const judgeProcessClocks = (reports: readonly ClockReport[], boundMs: number): Finding[] =>
  reports.length === 0
    ? [unseen('clocks', 'no process has reported its clock within the last minute')]
    : reports.flatMap((report) => judgeProcessClock(report, boundMs));

const STARTS: Readonly<Record<string, string>> = {
  api: 'Start a process with the role api. Without such a process, no operation is accepted.',
  worker:
    'Start a process with the role worker. Without such a process, no operation is submitted.',
};

/**
 * Reports roles that no process has. Roles with a lease are checked elsewhere: the lease shows whether a process has
 * the role.
 *
 * @param reports the reports of all running processes
 */
export function judgeRoles(reports: readonly Pick<ClockReport, 'roles'>[]): Finding[] {
  const there = new Set(reports.flatMap(({ roles }) => roles.split(',')));
  return Object.entries(STARTS)
    .filter(([role]) => !there.has(role))
    .map(([role, todo]) =>
      wrong(
        'operations',
        `no process with the role ${role} has reported within the last minute`,
        todo,
      ),
    );
}
