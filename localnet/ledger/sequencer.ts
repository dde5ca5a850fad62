import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { LEDGER_TIME_TOLERANCE_MICROS } from './clock.ts';
import type { LedgerClock } from './clock.ts';
import { newUpdateId } from './entropy.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { SequencedRecord } from './records.ts';
import type { TraceContext } from './submission.ts';
import type { TransactionTree } from './transaction-tree.ts';
import { eventsOf } from './update.ts';
import type { Completion, LedgerEvent, Offsets, Rejection, Submitter } from './update.ts';

/** A registered submission on its way: a transaction to be agreed on, or a refusal that has only to be published. */
export interface SequencingRequest {
  readonly submitter: Submitter;
  readonly workflowId: string;
  readonly traceContext: TraceContext;
  readonly deduplicationOffset: bigint;
  readonly content:
    | { readonly kind: 'transaction'; readonly tree: TransactionTree; readonly ledgerTime: bigint }
    | { readonly kind: 'refusal'; readonly rejection: Rejection };
}

export interface SequencerOptions {
  readonly store: LedgerStore;
  readonly clock: LedgerClock;
  /** Wall time between sequencing and verdict, asked for each time. */
  readonly latencyMs: () => number;
  /** A completion has been written; streams already see it. */
  readonly onDecided: (completion: Completion) => void;
}

/** A request that has its place in the order, and its inputs locked if it may succeed. */
interface Sequenced {
  readonly request: SequencingRequest;
  readonly recordTime: bigint;
  readonly rejection: Rejection | undefined;
}

/** What was sequenced together, and when its verdict is due: `performance.now()` in milliseconds. */
interface Waiting {
  readonly batch: readonly Sequenced[];
  readonly dueMs: number;
}

interface Queued {
  readonly request: SequencingRequest;
  readonly resolve: () => void;
}

/**
 * The virtual synchronizer: one total order for all participants. What arrives within one turn of the event loop is
 * sequenced together and written with one write, which is what makes hundreds of transactions a second cheap.
 *
 * A request is judged when it is sequenced: an input that is archived makes it `LOCAL_VERDICT_INACTIVE_CONTRACTS`, one
 * that an earlier undecided request archives makes it `LOCAL_VERDICT_LOCKED_CONTRACTS`. What passes locks the contracts
 * that it archives until its verdict, `latencyMs` later, and so cannot fail any more.
 */
export class Sequencer {
  readonly #options: SequencerOptions;
  readonly #locked = new Set<string>();
  /** Sequenced and undecided, in order: none is decided before those that were sequenced before it. */
  #undecided: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #queue: Queued[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(options: SequencerOptions) {
    this.#options = options;
  }

  /** Resolves once the request is sequenced, and written as far as it must be. */
  sequence(request: SequencingRequest): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push({ request, resolve });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#sequenceQueue());
    });
  }

  /** What is queued is never decided; what is sequenced with latency is decided after the next start. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #sequenceQueue(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    const queued = this.#queue;
    this.#queue = [];
    const { store } = this.#options;
    const latencyMs = this.#options.latencyMs();
    const batch = queued.map(({ request }) => this.#sequenceOne(request));
    if (latencyMs <= 0 && this.#undecided.length === 0) {
      this.#decide(batch);
    } else {
      for (const sequenced of batch) store.add(sequencedRecord(sequenced));
      store.flush();
      const isNext = this.#undecided.length === 0;
      this.#undecided.push({ batch, dueMs: performance.now() + latencyMs });
      if (isNext) this.#awaitVerdict();
    }
    for (const { resolve } of queued) resolve();
  }

  /** Decides what is due, and waits for the next. */
  #awaitVerdict(): void {
    const [next] = this.#undecided;
    if (next === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#undecided = this.#undecided.slice(1);
        this.#decide(next.batch);
        this.#awaitVerdict();
      },
      Math.max(0, next.dueMs - performance.now()),
    );
  }

  #sequenceOne(request: SequencingRequest): Sequenced {
    const recordTime = this.#nextRecordTime();
    const { content } = request;
    if (content.kind === 'refusal') return { request, recordTime, rejection: content.rejection };
    const rejection = this.#judge(content.tree, content.ledgerTime, recordTime);
    if (rejection === undefined) for (const id of content.tree.consumed) this.#locked.add(id);
    return { request, recordTime, rejection };
  }

  /** Requests of one batch must differ too, and are not in the state yet. */
  #lastRecordTime = 0n;
  #nextRecordTime(): bigint {
    const next = this.#options.clock.nextRecordTime();
    this.#lastRecordTime = next > this.#lastRecordTime ? next : this.#lastRecordTime + 1n;
    return this.#lastRecordTime;
  }

  #judge(tree: TransactionTree, ledgerTime: bigint, recordTime: bigint): Rejection | undefined {
    const skew = ledgerTime > recordTime ? ledgerTime - recordTime : recordTime - ledgerTime;
    if (skew > LEDGER_TIME_TOLERANCE_MICROS) return ledgerTimeOutOfBound(ledgerTime, recordTime);
    const inputs = [...tree.inputs.keys()];
    const inactive = inputs.filter((id) => !this.#options.store.state.active.has(id));
    if (inactive.length > 0) return inactiveContracts(inactive);
    const locked = inputs.filter((id) => this.#locked.has(id));
    return locked.length > 0 ? lockedContracts(locked) : undefined;
  }

  #decide(batch: readonly Sequenced[]): void {
    const { store, onDecided } = this.#options;
    const completions = batch.map((sequenced) => this.#decideOne(sequenced));
    store.flush();
    for (const completion of completions) onDecided(completion);
  }

  #decideOne({ request, recordTime, rejection }: Sequenced): Completion {
    const { store } = this.#options;
    const { submitter, traceContext, deduplicationOffset, content } = request;
    const outcome = { submitter, traceContext, deduplicationOffset, recordTime };
    if (content.kind === 'refusal' || rejection !== undefined) {
      const state = store.state.participants[submitter.participant];
      const offset = state.offsetAfter(state.ledgerEnd);
      const completion: Completion = { ...outcome, offset, updateId: '', rejection };
      store.add({ kind: 'rejection', completion });
      return completion;
    }
    for (const id of content.tree.consumed) this.#locked.delete(id);
    const events = eventsOf(content.tree);
    const offsets = this.#offsetsFor(events, submitter.participant);
    const updateId = newUpdateId();
    const completion: Completion = {
      ...outcome,
      offset: offsets[submitter.participant] ?? 0n,
      updateId,
      rejection: undefined,
    };
    const { workflowId } = request;
    const { ledgerTime } = content;
    store.add({
      kind: 'transaction',
      transaction: {
        kind: 'transaction',
        updateId,
        ledgerTime,
        recordTime,
        workflowId,
        submitter,
        traceContext,
        events,
        offsets,
      },
      completion,
    });
    return completion;
  }

  /** A participant takes part when it hosts a witness, or submitted. */
  #offsetsFor(events: readonly LedgerEvent[], submitting: ParticipantName): Offsets {
    const { hosts, participants } = this.#options.store.state;
    const concerned = new Set<ParticipantName>([submitting]);
    for (const { witnesses } of events) {
      for (const party of witnesses) {
        const host = hosts.get(party);
        if (host !== undefined) concerned.add(host);
      }
    }
    const offsets: Partial<Record<ParticipantName, bigint>> = {};
    for (const name of PARTICIPANT_NAMES) {
      const state = participants[name];
      if (concerned.has(name)) offsets[name] = state.offsetAfter(state.ledgerEnd);
    }
    return offsets;
  }
}

function sequencedRecord({ request, recordTime }: Sequenced): SequencedRecord {
  const { submitter, traceContext, deduplicationOffset } = request;
  return { kind: 'sequenced', submitter, traceContext, deduplicationOffset, recordTime };
}

const contractResources = (contractIds: readonly string[]) =>
  contractIds.map((name) => ({ type: 'CONTRACT_ID', name }));

const lockedContracts = (contractIds: readonly string[]): Rejection => ({
  code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
  text: `Rejected transaction is referring to locked contracts ${contractIds.join(', ')}`,
  metadata: {},
  resources: contractResources(contractIds),
  definiteAnswer: false,
});

const inactiveContracts = (contractIds: readonly string[]): Rejection => ({
  code: 'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  text: `Rejected transaction is referring to inactive contracts ${contractIds.join(', ')}`,
  metadata: {},
  resources: contractResources(contractIds),
  definiteAnswer: false,
});

const ledgerTimeOutOfBound = (ledgerTime: bigint, recordTime: bigint): Rejection => ({
  code: 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  text: 'Rejected transaction due to a ledger time out of the allowed bound',
  metadata: {
    ledgerTime: ledgerTime.toString(),
    recordTime: recordTime.toString(),
    maxDeviationMicros: LEDGER_TIME_TOLERANCE_MICROS.toString(),
  },
  resources: [],
  definiteAnswer: false,
});
