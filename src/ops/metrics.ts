import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { BulkAction, ItemEnd } from '../app/desk/bulk-acts.ts';
import { BULK_ACTIONS } from '../app/desk/bulk-acts.ts';
import { isTick } from '../app/engine/doubts/ticks.ts';
import { failureOf } from '../app/desk/failures.ts';
import type { AnswerClass } from '../domain/answer.ts';
import { ANSWER_CLASSES } from '../domain/answer.ts';
import type { ChangeState } from '../domain/change.ts';
import { isOpen, CHANGE_STATES } from '../domain/change.ts';
import { OPERATIONS } from '../domain/licensing.ts';
import type { AttemptAnswer, Change } from '../domain/change.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { LedgerCompletion } from '../domain/ledger.ts';
import type { ProblemCode } from '../domain/problems.ts';
import type { ComparedClocks } from './clock-check.ts';
import { OPS_LIMITS } from './limits.ts';
import type { AfterAttempt } from '../domain/webhook.ts';

/*
 * Counters of events in this process. Labels come from fixed sets of words, from routes and from configured names. A
 * label never contains a party, an ID or any other value that a caller chooses.
 */

/** The ledger's answer to a submission: accepted for processing, or a class of `LedgerAnswer`. */
type SubmissionAnswer = AnswerClass | 'taken';
/** The result that a completion reports. */
type CompletionAnswer = AnswerClass | 'accepted';

/** Combinations of problem code and answer class that failed operations usually have. */
const USUAL_ENDS: readonly (readonly [ProblemCode, AnswerClass | 'none'])[] = [
  ['LEDGER_REFUSED', 'refused'],
  ['BUDGET_SPENT', 'contention'],
  ['BUDGET_SPENT', 'busy'],
  ['BUDGET_SPENT', 'stale-contract'],
  ['CONTRACT_GONE', 'none'],
  ['STEP_NOT_ALLOWED', 'none'],
];

/** Bounds in seconds: from an answer out of memory to the longest time that a caller may wait. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
/** Bounds in seconds: an operation may wait for an unreachable participant, or for its turn. */
const OPERATION_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/**
 * The metrics of the process as a whole: memory, CPU, event loop and garbage collection. They are collected once for
 * all systems in the process.
 */
let processRegistry: Registry | null = null;
function ofProcess(): Registry {
  if (processRegistry === null) {
    processRegistry = new Registry();
    // Samples the event loop delay 20 times a second; more samples would be a noticeable load in an idle process.
    collectDefaultMetrics({ register: processRegistry, eventLoopMonitoringPrecision: 50 });
    // promtool refuses gauges with the name of a counter. The gauges by type have the same figures.
    for (const name of ['handles', 'requests', 'resources']) {
      processRegistry.removeSingleMetric(`nodejs_active_${name}_total`);
    }
  }
  return processRegistry;
}

/** Updates gauges from another source before metrics are read. If it fails, its gauges are omitted. */
export type Refresh = () => Promise<void>;

const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  readonly version: string;
  readonly roles: readonly string[];
  readonly participants: readonly ParticipantName[];
}

interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: string;
}

/** The metrics of one system in this process. */
export class Metrics {
  readonly registry = new Registry();
  readonly participants: readonly ParticipantName[];
  readonly #refreshes: Refresh[] = [];
  #underWay: Promise<string> | null = null;
  readonly #requestSeries = new Set<string>();

  readonly #requests = this.histogram(
    'tenure_http_request_duration_seconds',
    'Time from a request to the end of its response, by status class.',
    ['method', 'route', 'status'],
    REQUEST_BUCKETS,
  );
  readonly #operations = this.histogram(
    'tenure_operation_duration_seconds',
    'Time from the acceptance of an operation to its outcome, counted by the process that commits the outcome.',
    ['operation', 'state'],
    OPERATION_BUCKETS,
  );
  readonly #refused = this.counter(
    'tenure_operations_refused_total',
    'Operations that ended without success, by problem code and by the meaning of the ledger answer; none if there was no answer.',
    ['code', 'class'],
  );
  readonly #submissions = this.counter(
    'tenure_submissions_total',
    'Commands submitted to a participant, by its immediate answer.',
    ['participant', 'answer'],
  );
  readonly #submissionSeconds = this.histogram(
    'tenure_submission_duration_seconds',
    'Duration of the call that submits a command; the outcome arrives later.',
    ['participant'],
    REQUEST_BUCKETS,
  );
  readonly #completions = this.counter(
    'tenure_completions_total',
    'Completions received from a participant, by status; completions that are read again after a restart count again.',
    ['participant', 'answer'],
  );
  readonly #traffic = this.counter(
    'tenure_traffic_bytes_total',
    'Traffic cost of a participant in bytes, as its completions report it; completions that are read again after a restart count again.',
    ['participant'],
  );
  readonly #tickTraffic = this.counter(
    'tenure_tick_traffic_bytes_total',
    'The part of this traffic cost that was paid for time advances, which belong to no operation.',
    ['participant'],
  );
  readonly #unpriced = this.counter(
    'tenure_completions_without_cost_total',
    'Completions that do not report their traffic cost, so the cost is unknown, not zero.',
    ['participant'],
  );
  readonly #verdicts = this.counter(
    'tenure_attempt_verdicts_total',
    'Recorded results of attempts, counted by the process that commits them.',
    ['verdict'],
  );
  readonly #deliveries = this.counter(
    'tenure_webhook_tries_total',
    'Tries to deliver an event to a webhook: accepted, to be retried, or given up.',
    ['outcome'],
  );
  readonly #items = this.counter(
    'tenure_bulk_items_total',
    'Operations that bulk actions have processed, by result.',
    ['action', 'outcome'],
  );
  readonly #clocks = this.gauge(
    'tenure_clock_difference_seconds',
    'Difference between the clock of this process and the clock of the database, and the least difference of a network clock; positive if ahead.',
    ['clock'],
  );
  readonly #wrongClocks = this.gauge(
    'tenure_clock_wrong',
    '1 while the clock difference exceeds CLOCK_DIFFERENCE_MAX and work that depends on the clock is refused.',
    ['clock'],
  );
  readonly #leases = this.gauge('tenure_lease_held', '1 while this process holds the lease.', [
    'lease',
  ]);

  constructor({ version, roles, participants }: MetricsOptions) {
    this.participants = participants;
    this.gauge('tenure_build_info', 'Always 1: the version and roles of this process.', [
      'version',
      'roles',
    ]).set({ version, roles: roles.join(',') }, 1);
    // Starts the series at 0: a counter that first appears with its first event hides that event from rate queries.
    for (const participant of participants) {
      this.#submissionSeconds.zero({ participant });
      this.#traffic.inc({ participant }, 0);
      this.#tickTraffic.inc({ participant }, 0);
      this.#unpriced.inc({ participant }, 0);
      for (const answer of ['taken', ...ANSWER_CLASSES])
        this.#submissions.inc({ participant, answer }, 0);
      for (const answer of ['accepted', ...ANSWER_CLASSES])
        this.#completions.inc({ participant, answer }, 0);
    }
    for (const verdict of ['accepted', 'refused', 'unknown']) this.#verdicts.inc({ verdict }, 0);
    for (const outcome of ['delivered', 'again', 'given-up']) this.#deliveries.inc({ outcome }, 0);
    for (const action of BULK_ACTIONS)
      for (const outcome of ['done', 'refused']) this.#items.inc({ action, outcome }, 0);
    for (const [code, kind] of USUAL_ENDS) this.#refused.inc({ code, class: kind }, 0);
    for (const operation of OPERATIONS)
      for (const state of ENDINGS) this.#operations.zero({ operation, state });
  }

  gauge<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  answered(request: { method: string; route: string; status: number; seconds: number }): void {
    const { method, route, status, seconds } = request;
    const labels = { method, route, status: `${Math.floor(status / 100)}xx` };
    this.#requests.observe(this.#counted(labels), seconds);
  }

  /**
   * Returns the labels or, beyond the maximum number of series, labels that several series share. Callers choose
   * methods and routes, but must not determine how many series exist.
   */
  #counted(labels: RequestLabels): RequestLabels {
    const key = Object.values(labels).join(' ');
    if (this.#requestSeries.size >= OPS_LIMITS.requestSeriesMax && !this.#requestSeries.has(key)) {
      return { method: '_OTHER', route: 'other', status: labels.status };
    }
    this.#requestSeries.add(key);
    return labels;
  }

  submitted(participant: ParticipantName, answer: SubmissionAnswer, seconds: number): void {
    this.#submissions.inc({ participant, answer });
    this.#submissionSeconds.observe({ participant }, seconds);
  }

  completed(
    participant: ParticipantName,
    answer: CompletionAnswer,
    { cost, commandId }: Pick<LedgerCompletion, 'cost' | 'commandId'>,
  ): void {
    this.#completions.inc({ participant, answer });
    if (cost === undefined) {
      this.#unpriced.inc({ participant });
      return;
    }
    this.#traffic.inc({ participant }, Number(cost));
    if (isTick(commandId)) this.#tickTraffic.inc({ participant }, Number(cost));
  }

  judged(verdict: AttemptAnswer['verdict']): void {
    this.#verdicts.inc({ verdict });
  }

  finished(change: Change): void {
    const { operation, state, acceptedAt, finishedAt, error } = change;
    const seconds = (Date.parse(finishedAt ?? acceptedAt) - Date.parse(acceptedAt)) / 1_000;
    this.#operations.observe({ operation, state }, Math.max(0, seconds));
    const failure = error === null ? null : failureOf(change);
    if (failure !== null) this.#refused.inc({ code: failure.code, class: failure.class ?? 'none' });
  }

  delivered(outcome: AfterAttempt['kind']): void {
    this.#deliveries.inc({ outcome });
  }

  workedOff(action: BulkAction, outcome: ItemEnd['state']): void {
    this.#items.inc({ action, outcome });
  }

  clocksCompared({ own, ledgerApartMs, isOwnWrong, isLedgerWrong }: ComparedClocks): void {
    if (own !== null) this.#clocks.set({ clock: 'own' }, own.aheadMs / 1_000);
    if (ledgerApartMs !== null) this.#clocks.set({ clock: 'ledger' }, ledgerApartMs / 1_000);
    this.#wrongClocks.set({ clock: 'own' }, Number(isOwnWrong));
    this.#wrongClocks.set({ clock: 'ledger' }, Number(isLedgerWrong));
  }

  leaseHeld(lease: string, isHeld: boolean): void {
    this.#leases.set({ lease }, isHeld ? 1 : 0);
  }

  /** Registers a function that runs before every reading. */
  onRead(refresh: Refresh): void {
    this.#refreshes.push(refresh);
  }

  /** Concurrent readers share one reading, because the endpoint needs no token and its cost must be bounded. */
  async exposition(): Promise<{ type: string; text: string }> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = null;
    });
    return { type: EXPOSITION_TYPE, text: await this.#underWay };
  }

  async #read(): Promise<string> {
    await Promise.all(this.#refreshes.map((refresh) => refresh()));
    const [own, process] = await Promise.all([this.registry.metrics(), ofProcess().metrics()]);
    return `${own}\n${process}`;
  }
}

const ENDINGS: readonly ChangeState[] = CHANGE_STATES.filter((state) => !isOpen(state));
