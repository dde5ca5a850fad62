import type { Broken } from './broken.ts';
import type { Happening } from './director.ts';
import type { Inbox } from './inbox.ts';
import type { Records } from './records.ts';
import { isEnded, isGood } from './records.ts';
import { OF_SEVERAL_SERVERS } from './script.ts';
import type { QueueKind } from './world.ts';

/** Statistics of one duration over all its occurrences, in milliseconds. */
export interface Spread {
  readonly times: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** The result of a chaos run. Times are in milliseconds. */
export interface ChaosReport {
  readonly seed: number;
  readonly queue: QueueKind;
  readonly faultsMs: number;
  /** The time from the end of the faults until every operation had its answer. */
  readonly settledMs: number;
  readonly operations: {
    readonly asked: number;
    readonly succeeded: number;
    /** The number of refused operations, by error code. */
    readonly refused: Readonly<Record<string, number>>;
    /** The first operations that were refused, each with its command ID and its answer. */
    readonly refusals: readonly { readonly commandId: string; readonly answer: string }[];
    readonly unanswered: number;
    /** The number of repeated requests, that is, all requests except the first of each operation. */
    readonly repeats: number;
  };
  /** How often each kind of fault occurred. */
  readonly faults: Readonly<Record<string, number>>;
  /** How many processes ended without a signal. Their supervisor restarts them. */
  readonly endedByThemselves: number;
  /** The time from a `kill -9` until all operations in flight had their answers, by the role that was killed. */
  readonly recovery: Readonly<Record<string, Spread>>;
  /** The time from a crash of the database to the first answer. */
  readonly databaseStall: Spread | null;
  /** The time from a fault of a service with several servers to the first answer, by kind of fault. */
  readonly stalls: Readonly<Record<string, Spread>>;
  /** The operations in flight when the queue was wiped, and how many of them took effect or were definitely refused. */
  readonly wiped: { readonly times: number; readonly inFlight: number; readonly ended: number };
  /** How many licences the policy has ended. */
  readonly expired: number;
  /** How many bulk acts an operator applied. */
  readonly acts: number;
  /**
   * Webhook requests: how many were accepted, how many of these had been accepted before, and how many were refused.
   */
  readonly webhooks: { readonly taken: number; readonly again: number; readonly refused: number };
  /** How long stops in order took, including those at the end of the run. */
  readonly stops: Spread | null;
  readonly broken: readonly Broken[];
}

export function spreadOf(times: readonly number[]): Spread | null {
  const sorted = times.toSorted((a, b) => a - b);
  const worst = sorted.at(-1);
  if (worst === undefined) return null;
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? worst;
  return { times: sorted.length, medianMs: Math.round(median), worstMs: Math.round(worst) };
}

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(names)]
      .toSorted()
      .map((name) => [name, names.filter((one) => one === name).length]),
  );

function recoveryOf(happenings: readonly Happening[], records: Records): Record<string, Spread> {
  const kills = happenings.filter(({ kind }) => kind === 'kill' || kind === 'ledger-kill');
  const found = Object.keys(countsOf(kills.map(({ to }) => to))).flatMap((to) => {
    const times = kills
      .filter((kill) => kill.to === to)
      .flatMap(({ atMs }) => records.recoveryMs(atMs) ?? []);
    const spread = spreadOf(times);
    return spread === null ? [] : [[to, spread] as const];
  });
  return Object.fromEntries(found);
}

/** Returns for faults of these kinds how long it took until the first answer after each fault. */
function stallsOf(
  kinds: readonly Happening['kind'][],
  happenings: readonly Happening[],
  records: Records,
): Record<string, Spread> {
  const found = kinds.flatMap((kind) => {
    const times = happenings.filter((one) => one.kind === kind);
    const spread = spreadOf(times.flatMap(({ atMs }) => records.stallMs(atMs) ?? []));
    return spread === null ? [] : [[kind, spread] as const];
  });
  return Object.fromEntries(found);
}

const REFUSALS_MAX = 50;

export function operationsOf(records: Records): ChaosReport['operations'] {
  const { all } = records;
  return {
    asked: all.length,
    succeeded: all.filter(isGood).length,
    refused: countsOf(all.flatMap(({ answer }) => answer?.code ?? [])),
    refusals: all
      .flatMap(({ commandId, answer }) =>
        answer === null || answer.code === null ? [] : [{ commandId, answer: answer.body }],
      )
      .slice(0, REFUSALS_MAX),
    unanswered: all.filter(({ answer }) => answer === null).length,
    repeats: all.reduce((sum, { answer }) => sum + (answer?.sent ?? 1) - 1, 0),
  };
}

export function toldOf({ taken, refused }: Inbox): ChaosReport['webhooks'] {
  const times = taken.flatMap(({ messages }) => [...messages.values()]);
  const all = times.reduce((sum, one) => sum + one, 0);
  return { taken: all, again: all - times.length, refused };
}

const PROCESS_EVENTS: readonly string[] = ['ended-by-itself', 'did-not-start'];

/** Combines the acts and events of the run with the answers to its callers. */
export function effectsOf(
  happenings: readonly Happening[],
  records: Records,
): Pick<
  ChaosReport,
  'faults' | 'endedByThemselves' | 'recovery' | 'databaseStall' | 'stalls' | 'wiped'
> {
  const of = (kind: Happening['kind']) => happenings.filter((one) => one.kind === kind);
  const inFlight = of('wipe').map(({ atMs }) => records.inFlightAt(atMs));
  return {
    faults: countsOf(
      happenings.map(({ kind }) => kind).filter((kind) => !PROCESS_EVENTS.includes(kind)),
    ),
    endedByThemselves: of('ended-by-itself').length,
    recovery: recoveryOf(happenings, records),
    databaseStall: spreadOf(of('postgres').flatMap(({ atMs }) => records.stallMs(atMs) ?? [])),
    stalls: stallsOf(OF_SEVERAL_SERVERS, happenings, records),
    wiped: {
      times: inFlight.length,
      inFlight: inFlight.flat().length,
      ended: inFlight.flat().filter(isEnded).length,
    },
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

/** Describes a broken promise in one line. */
export const lineOfBroken = ({ promise, evidence, atMs }: Broken): string =>
  `BROKEN${atMs === undefined ? '' : ` after ${seconds(atMs)}`}: ${promise}: ${evidence}`;

/** Formats the report as lines of text. */
export function linesOf(report: ChaosReport): string[] {
  const { operations, wiped, databaseStall, stops, webhooks } = report;
  return [
    `seed ${report.seed}, queue on ${report.queue}, faults for ${seconds(report.faultsMs)}, settled after ${seconds(report.settledMs)}`,
    `operations: ${operations.asked} asked, ${operations.succeeded} succeeded, refused: ${list(operations.refused)}, ` +
      `${operations.unanswered} without an answer, ${operations.repeats} repeats`,
    `faults: ${list(report.faults)}; ${report.endedByThemselves} processes ended by themselves`,
    ...Object.entries(report.recovery).map(
      ([what, { times, medianMs, worstMs }]) =>
        `kill -9 of ${what}: ${times} times, all that was on its way answered after ${seconds(medianMs)} (median), ${seconds(worstMs)} (worst)`,
    ),
    ...(databaseStall === null
      ? []
      : [
          `database crashed ${databaseStall.times} times: first answer after ${seconds(databaseStall.medianMs)} (median), ${seconds(databaseStall.worstMs)} (worst)`,
        ]),
    ...Object.entries(report.stalls).map(
      ([what, { times, medianMs, worstMs }]) =>
        `${what}: ${times} times, first answer after ${seconds(medianMs)} (median), ${seconds(worstMs)} (worst)`,
    ),
    ...(wiped.times === 0
      ? []
      : [
          `queue wiped ${wiped.times} times with ${wiped.inFlight} operations on their way: ${wiped.ended} took effect or were definitely refused`,
        ]),
    `${report.expired} licences lapsed and were ended by the policy, ${report.acts} acts on many operations`,
    `webhooks: ${webhooks.taken} events taken, ${webhooks.again} of them again, ${webhooks.refused} refused or left without an answer`,
    ...(stops === null
      ? []
      : [
          `orderly stops: ${stops.times}, ${seconds(stops.medianMs)} (median), ${seconds(stops.worstMs)} (worst)`,
        ]),
    ...report.broken.map(lineOfBroken),
  ];
}
