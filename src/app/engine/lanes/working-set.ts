import type { Reach } from '../../../domain/answer.ts';
import type { Attempt, AttemptAnswer, Change } from '../../../domain/change.ts';
import { isAsSure } from '../../../domain/change.ts';
import type {
  ChangeId,
  ContractId,
  EffectId,
  LaneId,
  LifecycleId,
  ParticipantName,
  SubmissionId,
  UpdateId,
} from '../../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../../domain/ids.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { HistoryEntry, Lifecycle } from '../../../domain/lifecycle.ts';
import type { CircuitOpening } from '../../../domain/participant-health.ts';
import { outlasts } from '../../../domain/participant-health.ts';
import type { ContractModel } from '../../contract/model.ts';
import { eventsOf, withToldRetry } from './events.ts';
import type { AppliedUpdate, Tx } from '../../ports/transaction.ts';
import type {
  AttemptUpdate,
  AuditEntry,
  LineageEntry,
  Mailbox,
  Writes,
} from '../../ports/writes.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** Returns the ID of a change's submission effect. A change has one such effect. */
export const effectIdOf = (change: ChangeId): EffectId =>
  trusted<EffectId>(`fx-${change.replaceAll('-', '')}`);

/** Returns when a lifecycle lapses, for its timer; `null` if the lifecycle never lapses. */
const lapseOf = (model: ContractModel, lifecycle: Lifecycle): string | null =>
  lifecycle.endedAt === null ? (model.lifecycle(lifecycle.kind).lapse?.(lifecycle) ?? null) : null;

/**
 * Merges two openings of one circuit, in order: an opening that only a probe can end is not replaced by one that ends
 * after a time, and two openings that each count only at their second occurrence make one that counts.
 */
function openedAfter(before: CircuitOpening, opening: CircuitOpening): CircuitOpening {
  const { atSecond = false } = before;
  if (atSecond !== (opening.atSecond ?? false)) return atSecond ? opening : before;
  const stays = outlasts(before.reason, opening.reason);
  return { ...(stays ? before : opening), atSecond: false };
}

/**
 * The rows of one database transaction: locked lanes with their lifecycles and head changes. The engine reads and
 * replaces rows here; at the end, all changed rows are written together.
 */
export class WorkingSet {
  /** Definitions of lifecycles and operations. */
  readonly model: ContractModel;
  readonly #lifecycles = new Map<LifecycleId, Lifecycle>();
  readonly #byContract = new Map<ContractId, LifecycleId>();
  readonly #mailboxes = new Map<LaneId, Mailbox>();
  readonly #changes = new Map<ChangeId, Change>();
  readonly #queued = new Map<LaneId, Change[]>();
  readonly #attemptsOf = new Map<ChangeId, readonly Attempt[]>();
  readonly #applied = new Map<UpdateId, AppliedUpdate>();
  readonly #appliedFor = new Map<ChangeId, AppliedUpdate>();

  /** Rows as they were read; a row that is missing here is new. */
  readonly #lifecyclesBefore = new Map<LifecycleId, Lifecycle>();
  readonly #changesBefore = new Map<ChangeId, Change>();

  readonly #dirtyLifecycles = new Set<LifecycleId>();
  readonly #dirtyMailboxes = new Set<LaneId>();
  readonly #dirtyChanges = new Set<ChangeId>();
  readonly #lineage: LineageEntry[] = [];
  readonly #origins = new Map<ContractId, LifecycleId>();
  readonly #newEffects = new Map<ChangeId, string>();
  readonly #eager = new Set<ChangeId>();
  readonly #effectsDue = new Map<ChangeId, number>();
  readonly #effectsDone = new Set<ChangeId>();
  readonly #attempts: AttemptUpdate[] = [];
  readonly #pins = new Map<SubmissionId, string>();
  readonly #history: HistoryEntry[] = [];
  readonly #audit: AuditEntry[] = [];
  readonly #told: NewEvent[] = [];
  readonly #circuits = new Map<ParticipantName, CircuitOpening>();
  readonly #timerLanes = new Set<LaneId>();
  readonly #interrupted = new Map<LaneId, number>();
  readonly #resumed = new Set<LaneId>();
  #wakesClock = false;
  /** Number of waiting changes that this transaction has ended. */
  refused = 0;

  /**
   * Returns whether the replay of a restored database may still show that a change took effect. Until the replay has
   * passed, nothing is refused.
   */
  readonly isReplaying: (change: Change) => boolean;

  constructor(model: ContractModel, isReplaying: WorkingSet['isReplaying'] = () => false) {
    this.model = model;
    this.isReplaying = isReplaying;
  }

  add(locked: {
    readonly mailboxes: readonly Mailbox[];
    readonly lifecycles: readonly Lifecycle[];
    readonly heads: readonly Change[];
  }): void {
    for (const mailbox of locked.mailboxes) this.#mailboxes.set(mailbox.lane, mailbox);
    for (const lifecycle of locked.lifecycles) {
      this.#lifecycles.set(lifecycle.id, lifecycle);
      this.#lifecyclesBefore.set(lifecycle.id, lifecycle);
      this.#byContract.set(lifecycle.contractId, lifecycle.id);
    }
    for (const head of locked.heads) this.#addChange(head);
  }

  #addChange(change: Change): void {
    this.#changes.set(change.id, change);
    this.#changesBefore.set(change.id, change);
  }

  /** Adds an update that this transaction has applied, so that it need not be read back to decide outcomes. */
  addApplied(update: AppliedUpdate): void {
    this.#applied.set(update.updateId, update);
    const change = changeOfWorkflow(update.workflowId);
    if (change !== null && !this.#appliedFor.has(change)) this.#appliedFor.set(change, update);
  }

  applied(updateId: UpdateId): AppliedUpdate | null {
    return this.#applied.get(updateId) ?? null;
  }

  /** Returns the update that carries the change's workflow ID. */
  appliedFor(change: ChangeId): AppliedUpdate | null {
    return this.#appliedFor.get(change) ?? null;
  }

  addLineage(entries: readonly LineageEntry[]): void {
    for (const entry of entries) this.#byContract.set(entry.contractId, entry.lifecycleId);
  }

  /** Loads the ended lifecycles that this transaction names: locking a lane does not load its ended lifecycles. */
  async loadEnded(tx: Tx, named: readonly { readonly lifecycleId: LifecycleId }[]): Promise<void> {
    const ids = new Set(named.map(({ lifecycleId }) => lifecycleId));
    const missing = [...ids].filter((id) => !this.#lifecycles.has(id));
    const found = await Promise.all(missing.map((id) => tx.findLifecycle(id)));
    const lifecycles = found.filter((lifecycle) => lifecycle !== null);
    this.add({ mailboxes: [], lifecycles, heads: [] });
  }

  lifecycle(id: LifecycleId): Lifecycle | undefined {
    return this.#lifecycles.get(id);
  }

  lifecycleOfContract(contractId: ContractId): Lifecycle | undefined {
    const id = this.#byContract.get(contractId);
    return id === undefined ? undefined : this.#lifecycles.get(id);
  }

  /** Returns the lifecycles of a locked lane that had not ended, that this transaction names, or that it began. */
  lifecyclesIn(lane: LaneId): Lifecycle[] {
    return [...this.#lifecycles.values()].filter((lifecycle) => lifecycle.lane === lane);
  }

  /** Returns a lifecycle's ID, even if the lifecycle's row is not loaded. */
  lifecycleIdOfContract(contractId: ContractId): LifecycleId | undefined {
    return this.#byContract.get(contractId);
  }

  /** Records that a contract that is not a lifecycle's own was created for this lifecycle. */
  belongs(contractId: ContractId, to: LifecycleId): void {
    this.#origins.set(contractId, to);
  }

  putLifecycle(lifecycle: Lifecycle): void {
    const before = this.#lifecycles.get(lifecycle.id);
    const isSame =
      before !== undefined &&
      before.originId === lifecycle.originId &&
      lapseOf(this.model, before) === lapseOf(this.model, lifecycle);
    if (!isSame) {
      if (this.model.lifecycle(lifecycle.kind).lapse !== undefined)
        this.#timerLanes.add(lifecycle.lane);
    }
    this.#lifecycles.set(lifecycle.id, lifecycle);
    this.#dirtyLifecycles.add(lifecycle.id);
    if (this.#byContract.get(lifecycle.contractId) === lifecycle.id) return;
    this.#byContract.set(lifecycle.contractId, lifecycle.id);
    this.#lineage.push({
      contractId: lifecycle.contractId,
      lifecycleId: lifecycle.id,
      lane: lifecycle.lane,
    });
  }

  mailbox(lane: LaneId): Mailbox {
    return this.#mailboxes.get(lane) ?? { lane, head: null, nextNo: 1, waiting: 0 };
  }

  putMailbox(mailbox: Mailbox): void {
    this.#mailboxes.set(mailbox.lane, mailbox);
    this.#dirtyMailboxes.add(mailbox.lane);
  }

  change(id: ChangeId): Change | undefined {
    return this.#changes.get(id);
  }

  /** Like `change`, but also finds a change that is not the head of a locked lane. */
  async findChange(tx: Tx, id: ChangeId): Promise<Change | null> {
    const found = this.#changes.get(id) ?? (await tx.change(id));
    if (found !== null && !this.#changes.has(id)) this.#addChange(found);
    return found;
  }

  headOf(lane: LaneId): Change | undefined {
    const { head } = this.mailbox(lane);
    return head === null ? undefined : this.#changes.get(head);
  }

  heads(): Change[] {
    return [...this.#mailboxes.keys()].flatMap((lane) => this.headOf(lane) ?? []);
  }

  putChange(change: Change): void {
    this.#changes.set(change.id, change);
    this.#dirtyChanges.add(change.id);
  }

  /**
   * Returns the next waiting change of the lane; each call returns the following one.
   *
   * @param afterNo mailbox number of the previous change; without it, a change that this transaction has taken would be
   * returned again, because its row is still queued
   */
  async nextQueued(tx: Tx, lane: LaneId, afterNo: number): Promise<Change | undefined> {
    const read = this.#queued.get(lane);
    const waiting = read ?? [];
    this.#queued.set(lane, waiting);
    if (waiting.length === 0) {
      // The machine usually accepts the first change.
      const limit = read === undefined ? 1 : LIMITS.refusedTogetherMax;
      waiting.push(...(await tx.queued(lane, afterNo, limit)));
    }
    const next = waiting.shift();
    if (next === undefined) return undefined;
    // This transaction has already ended the change.
    if ((this.#changes.get(next.id) ?? next).state !== 'queued') {
      return this.nextQueued(tx, lane, next.mailboxNo);
    }
    this.#changesBefore.set(next.id, next);
    return next;
  }

  /** Returns the attempts of a change, oldest first, with the answers that this transaction recorded. */
  async attemptsOf(tx: Tx, change: ChangeId): Promise<readonly Attempt[]> {
    const found = this.#attemptsOf.get(change) ?? (await tx.attemptsOf(change));
    this.#attemptsOf.set(change, found);
    return found.map((attempt) => ({
      ...attempt,
      answer: this.#answerOf(attempt),
      overAt: attempt.overAt ?? this.#pins.get(attempt.submissionId) ?? null,
    }));
  }

  /** Returns the answer as it will be stored: a late immediate answer does not replace the answer of the completion. */
  #answerOf({ submissionId, answer: known }: Attempt): AttemptAnswer | null {
    let surest = known;
    for (const { answer } of this.#attempts.filter((one) => one.submissionId === submissionId)) {
      if (isAsSure(answer, surest)) surest = answer;
    }
    return surest;
  }

  /** Adds a lifecycle that is only read: it is not locked and must not be replaced. */
  addSeen(lifecycle: Lifecycle): void {
    if (this.#lifecycles.has(lifecycle.id)) return;
    this.#lifecycles.set(lifecycle.id, lifecycle);
    this.#byContract.set(lifecycle.contractId, lifecycle.id);
  }

  newEffect(change: ChangeId, dueAt: string): void {
    this.#newEffects.set(change, dueAt);
  }

  /** Returns whether this transaction has put the change at the head of its lane, so that its effect is new. */
  hasNewEffect(change: ChangeId): boolean {
    return this.#newEffects.has(change);
  }

  /** Records that this transaction starts the first attempt of the change. */
  startsFirst(change: ChangeId): void {
    this.#eager.add(change);
  }

  /** Schedules the next submission in `inMs` milliseconds, by the database's clock. */
  effectDue(change: ChangeId, inMs: number): void {
    this.#effectsDue.set(change, inMs);
    this.#effectsDone.delete(change);
  }

  effectDone(change: ChangeId): void {
    // A change that begins and ends in the same transaction leaves no effect row.
    if (!this.#newEffects.delete(change)) this.#effectsDone.add(change);
    this.#effectsDue.delete(change);
  }

  answerAttempt(
    submissionId: SubmissionId,
    answer: AttemptAnswer,
    reached: Reach = 'nobody',
  ): void {
    this.#attempts.push({ submissionId, answer, reached });
  }

  /** Records that from this record time on, the attempt cannot take effect. A bound that is already stored is kept. */
  pin(submissionId: SubmissionId, overAt: string): void {
    this.#pins.set(submissionId, overAt);
  }

  record(entry: HistoryEntry): void {
    this.#history.push(entry);
  }

  recordAct(entry: AuditEntry): void {
    this.#audit.push(entry);
  }

  /** Adds an event that cannot be derived from the rows of this transaction. */
  tell(event: NewEvent): void {
    this.#told.push(event);
  }

  openCircuit(opening: CircuitOpening): void {
    const before = this.#circuits.get(opening.participant);
    const merged = before === undefined ? opening : openedAfter(before, opening);
    this.#circuits.set(opening.participant, merged);
  }

  /** Interrupts a lane that has waiting changes but no head: another transaction continues after this number. */
  interruptLane(lane: LaneId, afterNo: number): void {
    this.#interrupted.set(lane, afterNo);
  }

  /** Records that this transaction continues an interrupted lane. */
  resumeLane(lane: LaneId): void {
    this.#resumed.add(lane);
  }

  /** Wakes the scheduler, because an event that a policy may wait for has happened, other than a changed lapse. */
  wakeClock(): void {
    this.#wakesClock = true;
  }

  writes(): Writes {
    const lifecycles = [...this.#dirtyLifecycles].flatMap((id) => this.#lifecycles.get(id) ?? []);
    const steps = [...this.#dirtyChanges].flatMap((id) => {
      const after = this.#changes.get(id);
      return after === undefined ? [] : [{ before: this.#changesBefore.get(id) ?? null, after }];
    });
    return {
      lifecycles,
      lineage: this.#lineage,
      origins: [...this.#origins].map(([contractId, lifecycleId]) => ({ contractId, lifecycleId })),
      mailboxes: [...this.#dirtyMailboxes].flatMap((lane) => this.#mailboxes.get(lane) ?? []),
      changes: steps.map(withToldRetry),
      newEffects: [...this.#newEffects].map(([changeId, dueAt]) => ({
        id: effectIdOf(changeId),
        changeId,
        dueAt,
        ...(this.#eager.has(changeId) ? { isEager: true } : {}),
      })),
      effectsDue: [...this.#effectsDue].map(([changeId, inMs]) => ({ changeId, inMs })),
      effectsDone: [...this.#effectsDone],
      attempts: this.#attempts,
      pins: [...this.#pins].map(([submissionId, overAt]) => ({ submissionId, overAt })),
      history: this.#history,
      audit: this.#audit,
      events: [
        ...eventsOf(
          steps,
          lifecycles.map((after) => ({
            before: this.#lifecyclesBefore.get(after.id) ?? null,
            after,
          })),
        ),
        ...this.#told,
      ],
      circuits: [...this.#circuits.values()],
      timerLanes: [...this.#timerLanes],
      interrupted: [...this.#interrupted].map(([lane, afterNo]) => ({ lane, afterNo })),
      resumed: [...this.#resumed].filter((lane) => !this.#interrupted.has(lane)),
      wakesClock: this.#wakesClock,
    };
  }
}
