import type { ParticipantName } from '../ports.ts';
import type { LedgerClock } from './clock.ts';
import { newUpdateId } from './entropy.ts';
import type { ErrorCode } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { ParticipantState } from './participant-state.ts';
import type { SequencedRecord } from './records.ts';
import type { TraceContext } from './submission.ts';
import { addTimeOuts } from './time-outs.ts';
import { notEnoughTraffic, refusedForTraffic } from './traffic.ts';
import type { TransactionTree } from './transaction-tree.ts';
import { eventsOf } from './update.ts';
import type { LedgerEvent, Rejection, Submitter } from './update.ts';
import {
  inactiveContracts,
  ledgerTimeOutOfBound,
  lockedContracts,
  notSequenced,
  preparationTimeOutOfBound,
} from './verdicts.ts';

/** The codes of rejections for lack of traffic. Nothing is charged for requests that are rejected with them. */
const UNCHARGED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
  'OUTDATED_TRAFFIC_COST',
]);

/** A registered submission that is sent to the sequencer. */
export interface SequencingRequest {
  readonly submitter: Submitter;
  readonly workflowId: string;
  readonly traceContext: TraceContext;
  readonly deduplicationOffset: bigint;
  /** Ledger time in microseconds. The request can be sequenced until the tolerance after this time has passed. */
  readonly ledgerTime: bigint;
  /** The synchronizer's price of the request. */
  readonly cost: bigint;
  readonly content: SequencingContent;
  /** Present if the parties have signed the transaction themselves. */
  readonly signed?: SignedFor;
}

/** The terms of an external submission that its parties have signed. */
export interface SignedFor {
  /** The signed hash, in hex. */
  readonly hash: string;
  /** The time of preparation, in microseconds. */
  readonly preparationTime: bigint;
  /** The maximum record time, in microseconds. If absent, the limit of ordinary submissions applies. */
  readonly maxRecordTime?: bigint;
  /** The rejection by the confirming participants, if they reject the submission. */
  readonly rejection?: Rejection;
}

/**
 * The content of a request to the sequencer:
 *
 * - `transaction`: the transaction has to be confirmed
 * - `refusal`: the request was refused before. If `isSequenced`, the synchronizer refused it and gave it a record time.
 *   Otherwise the request never reached the synchronizer, and its rejection does not advance time.
 * - `lost`: the request is sent but never arrives
 */
export type SequencingContent =
  | { readonly kind: 'transaction'; readonly tree: TransactionTree }
  | { readonly kind: 'refusal'; readonly rejection: Rejection; readonly isSequenced: boolean }
  | { readonly kind: 'lost' };

export interface SequencerOptions {
  readonly store: LedgerStore;
  readonly clock: LedgerClock;
  /** Returns the wall time between sequencing and verdict. It is read again for each batch. */
  readonly latencyMs: () => number;
  readonly toleranceMicros: bigint;
  /** Called when a submission of this participant can never be sequenced. */
  readonly onLost: (participant: ParticipantName) => void;
}

/**
 * A request that has been sequenced. The contracts that it archives are locked until its verdict, unless it is
 * rejected.
 */
interface Sequenced {
  readonly kind: 'request';
  readonly request: SequencingRequest;
  readonly recordTime: bigint;
  readonly rejection: Rejection | undefined;
  readonly paidTrafficCost: bigint;
}

/** A participant's request for the synchronizer's current time. */
interface TimeAsked {
  readonly kind: 'time';
  readonly participant: ParticipantName;
  readonly recordTime: bigint;
  readonly done: () => void;
}

/** A batch that was sequenced together, and the time of its verdict: `performance.now()` in milliseconds. */
interface Waiting {
  readonly batch: readonly (Sequenced | TimeAsked)[];
  readonly dueMs: number;
}

interface Queued {
  readonly request: SequencingRequest;
  readonly resolve: () => void;
}

/**
 * The virtual synchronizer, which puts all requests of all participants into one order. Requests that arrive within one
 * turn of the event loop are sequenced together and written with one write, so that hundreds of transactions per second
 * cost little.
 *
 * A request is judged when it is sequenced. If one of its inputs is archived, it is rejected with
 * `LOCAL_VERDICT_INACTIVE_CONTRACTS`. If an earlier, undecided request archives one of its inputs, it is rejected with
 * `LOCAL_VERDICT_LOCKED_CONTRACTS`. A request that passes locks the contracts that it archives until its verdict, which
 * comes `latencyMs` later; because of these locks, it can no longer fail.
 */
export class Sequencer {
  readonly #options: SequencerOptions;
  readonly #locked = new Set<string>();
  /** The total cost of sequenced requests without a verdict, by participant. */
  readonly #reserved = new Map<ParticipantName, bigint>();
  /** Batches that are sequenced and have no verdict yet, in order. They are decided in this order. */
  #undecided: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #queue: Queued[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(options: SequencerOptions) {
    this.#options = options;
  }

  /** Resolves once the request is sequenced, and written to the journal if necessary. */
  sequence(request: SequencingRequest): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push({ request, resolve });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#sequenceQueue());
    });
  }

  /**
   * Stops the sequencer. Queued requests are never decided. Requests that were already sequenced get their verdict
   * after the next start.
   */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Sends the time to a participant, after everything that was sequenced before this call. */
  tellTime(participant: ParticipantName, done: () => void): void {
    const asked = { kind: 'time', participant, recordTime: this.#nextRecordTime(), done } as const;
    this.#await([asked], 0);
  }

  #sequenceQueue(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    const queued = this.#queue;
    this.#queue = [];
    const batch = queued.flatMap(({ request }) => this.#send(request));
    if (batch.length > 0) this.#await(batch, this.#options.latencyMs());
    else this.#options.store.flush();
    for (const { resolve } of queued) resolve();
  }

  #await(batch: Waiting['batch'], latencyMs: number): void {
    const { store } = this.#options;
    if (latencyMs <= 0 && this.#undecided.length === 0) {
      this.#decide(batch);
      return;
    }
    for (const ordered of batch) {
      if (ordered.kind === 'request') store.add(sequencedRecord(ordered));
    }
    store.flush();
    const isNext = this.#undecided.length === 0;
    this.#undecided.push({ batch, dueMs: performance.now() + latencyMs });
    if (isNext) this.#awaitVerdict();
  }

  /** Decides the batches that are due, and sets a timer for the next one. */
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

  /** Sequences a request, unless it is lost or refused before that. */
  #send(request: SequencingRequest): readonly Sequenced[] {
    if (request.content.kind === 'lost') {
      this.#lose(request);
      return [];
    }
    const refusal = this.#refusalAtDoor(request);
    if (refusal === undefined) return [this.#sequenceOne(request, request.content)];
    this.#refuse(request, refusal);
    return [];
  }

  /**
   * Returns why a request is refused before it is sequenced: by the sequencer, or by the submitting participant, which
   * then does not send it.
   */
  #refusalAtDoor({ submitter, ledgerTime, cost, content, signed }: SequencingRequest) {
    if (content.kind === 'refusal' && !content.isSequenced) return content.rejection;
    const { clock, toleranceMicros } = this.#options;
    const now = clock.nowMicros();
    if (now > ledgerTime + toleranceMicros) return notSequenced;
    if (signed?.maxRecordTime !== undefined && now > signed.maxRecordTime) return notSequenced;
    const { traffic, participantId } = this.#stateOf(submitter);
    const { balance, refusedAt } = traffic;
    if (balance === null || cost <= balance || refusedAt === 'sequencing') return undefined;
    return refusedForTraffic({ participantId, cost, available: balance });
  }

  /** Rejects a request that was not sequenced, with its participant's current time. */
  #refuse(
    { submitter, traceContext, deduplicationOffset }: SequencingRequest,
    rejection: Rejection,
  ) {
    const state = this.#stateOf(submitter);
    const { recordTime } = state.received;
    const offset = state.nextOffset();
    const outcome = { submitter, traceContext, deduplicationOffset, recordTime, offset };
    const completion = { ...outcome, updateId: '', rejection, paidTrafficCost: 0n };
    this.#options.store.add({ kind: 'rejection', completion });
  }

  #lose({ submitter, traceContext, deduplicationOffset, ledgerTime }: SequencingRequest): void {
    const { store, toleranceMicros, onLost } = this.#options;
    const maxSequencingTime = ledgerTime + toleranceMicros;
    const lost = { submitter, traceContext, deduplicationOffset, maxSequencingTime };
    store.add({ kind: 'unsequenced', ...lost });
    onLost(submitter.participant);
  }

  #sequenceOne(
    request: SequencingRequest,
    content: Exclude<SequencingContent, { kind: 'lost' }>,
  ): Sequenced {
    const recordTime = this.#nextRecordTime();
    const { submitter, cost } = request;
    const shortage = this.#shortage(request);
    if (shortage !== undefined) {
      // A participant that cannot pay for a request is not charged for it.
      return { kind: 'request', request, recordTime, rejection: shortage, paidTrafficCost: 0n };
    }
    const rejection =
      content.kind === 'refusal'
        ? content.rejection
        : (signedRejection(request.signed, recordTime) ??
          this.#judge(content.tree, request.ledgerTime, recordTime));
    const { participant } = submitter;
    const isFree = rejection !== undefined && UNCHARGED.has(rejection.code);
    const paidTrafficCost = isFree ? 0n : cost;
    this.#reserved.set(participant, (this.#reserved.get(participant) ?? 0n) + paidTrafficCost);
    if (content.kind === 'transaction' && rejection === undefined) {
      for (const id of content.tree.consumed) this.#locked.add(id);
    }
    return { kind: 'request', request, recordTime, rejection, paidTrafficCost };
  }

  /**
   * Returns a rejection if a participant has too little traffic for a request. The costs of its undecided requests are
   * subtracted from its balance, although they are not booked yet.
   */
  #shortage({ submitter, cost }: SequencingRequest): Rejection | undefined {
    const { traffic, participantId } = this.#stateOf(submitter);
    if (traffic.balance === null) return undefined;
    const available = traffic.balance - (this.#reserved.get(submitter.participant) ?? 0n);
    if (cost <= available) return undefined;
    return notEnoughTraffic({ participantId, cost, available: available > 0n ? available : 0n });
  }

  #stateOf({ participant }: Submitter): ParticipantState {
    return this.#options.store.state.participants[participant];
  }

  /**
   * The last record time that was assigned. It is needed because the state does not contain the record times of the
   * current batch yet, and those must differ from each other too.
   */
  #lastRecordTime = 0n;
  #nextRecordTime(): bigint {
    const next = this.#options.clock.nextRecordTime();
    this.#lastRecordTime = next > this.#lastRecordTime ? next : this.#lastRecordTime + 1n;
    return this.#lastRecordTime;
  }

  #judge(tree: TransactionTree, ledgerTime: bigint, recordTime: bigint): Rejection | undefined {
    const { toleranceMicros } = this.#options;
    const skew = ledgerTime > recordTime ? ledgerTime - recordTime : recordTime - ledgerTime;
    if (skew > toleranceMicros) {
      return ledgerTimeOutOfBound({ ledgerTime, recordTime, toleranceMicros });
    }
    const inputs = [...tree.inputs.keys()];
    const inactive = inputs.filter((id) => !this.#options.store.state.active.has(id));
    if (inactive.length > 0) return inactiveContracts(inactive);
    const locked = inputs.filter((id) => this.#locked.has(id));
    return locked.length > 0 ? lockedContracts(locked) : undefined;
  }

  #decide(batch: Waiting['batch']): void {
    const { store } = this.#options;
    for (const ordered of batch) {
      if (ordered.kind === 'request') this.#decideOne(ordered);
      else this.#addTimeProof(ordered);
    }
    store.flush();
    for (const ordered of batch) if (ordered.kind === 'time') ordered.done();
  }

  #addTimeProof({ participant, recordTime }: TimeAsked): void {
    const { store } = this.#options;
    this.#inOrder([participant], recordTime, () => {
      const offset = store.state.participants[participant].nextOffset();
      store.add({ kind: 'timeProof', participant, offset, recordTime });
    });
  }

  #decideOne(sequenced: Sequenced): void {
    const { request, recordTime, rejection, paidTrafficCost } = sequenced;
    const { submitter, content } = request;
    const { participant } = submitter;
    this.#reserved.set(participant, (this.#reserved.get(participant) ?? 0n) - paidTrafficCost);
    if (content.kind !== 'transaction' || rejection !== undefined) {
      this.#inOrder([participant], recordTime, () => this.#addRejection(sequenced));
      return;
    }
    for (const id of content.tree.consumed) this.#locked.delete(id);
    const events = eventsOf(content.tree);
    const concerned = this.#concernedBy(events, participant);
    this.#inOrder(concerned, recordTime, () => this.#addTransaction(sequenced, events, concerned));
  }

  /**
   * Adds an event at its record time. Time-outs of the participants concerned that are due before the event are added
   * before it; those that are due at the same time are added after it.
   */
  #inOrder(names: readonly ParticipantName[], recordTime: bigint, add: () => void): void {
    const { store } = this.#options;
    for (const name of names) addTimeOuts(store, name, recordTime - 1n);
    add();
    for (const name of names) addTimeOuts(store, name, recordTime);
  }

  #addRejection({ request, recordTime, rejection, paidTrafficCost }: Sequenced): void {
    const { submitter, traceContext, deduplicationOffset } = request;
    const offset = this.#stateOf(submitter).nextOffset();
    const outcome = { submitter, traceContext, deduplicationOffset, recordTime, offset };
    const completion = { ...outcome, updateId: '', rejection, paidTrafficCost };
    this.#options.store.add({ kind: 'rejection', completion });
  }

  #addTransaction(
    { request, recordTime, paidTrafficCost }: Sequenced,
    events: readonly LedgerEvent[],
    concerned: readonly ParticipantName[],
  ): void {
    const { store } = this.#options;
    const { submitter, traceContext, deduplicationOffset, workflowId, ledgerTime, signed } =
      request;
    const offsets: Partial<Record<ParticipantName, bigint>> = {};
    for (const name of concerned) offsets[name] = store.state.participants[name].nextOffset();
    const common = {
      updateId: newUpdateId(),
      submitter,
      recordTime,
      traceContext,
      paidTrafficCost,
    };
    const offset = offsets[submitter.participant] ?? 0n;
    store.add({
      kind: 'transaction',
      transaction: {
        ...common,
        kind: 'transaction',
        ledgerTime,
        workflowId,
        events,
        offsets,
        ...(signed === undefined ? {} : { externalHash: signed.hash }),
      },
      completion: { ...common, offset, rejection: undefined, deduplicationOffset },
    });
  }

  /** Returns the participants that take part in a transaction: those that host a witness, and the submitting one. */
  #concernedBy(
    events: readonly LedgerEvent[],
    submitting: ParticipantName,
  ): readonly ParticipantName[] {
    const { hosts, names } = this.#options.store.state;
    const concerned = new Set<ParticipantName>([submitting]);
    for (const { witnesses } of events) {
      for (const party of witnesses) for (const host of hosts.get(party) ?? []) concerned.add(host);
    }
    return names.filter((name) => concerned.has(name));
  }
}

/** The maximum time between the preparation of a transaction and its sequencing. */
const PREPARATION_TOLERANCE_MICROS = 86_400_000_000n;

function signedRejection(signed: SignedFor | undefined, recordTime: bigint): Rejection | undefined {
  if (signed === undefined) return undefined;
  const { preparationTime } = signed;
  const late = preparationTimeOutOfBound({
    preparationTime,
    recordTime,
    toleranceMicros: PREPARATION_TOLERANCE_MICROS,
  });
  return recordTime - preparationTime > PREPARATION_TOLERANCE_MICROS ? late : signed.rejection;
}

function sequencedRecord({ request, recordTime, paidTrafficCost }: Sequenced): SequencedRecord {
  const { submitter, traceContext, deduplicationOffset } = request;
  const trafficCost = paidTrafficCost;
  return {
    kind: 'sequenced',
    submitter,
    traceContext,
    deduplicationOffset,
    recordTime,
    trafficCost,
  };
}
