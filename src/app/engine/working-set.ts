import type { Reach } from '../../domain/answer.ts';
import type { Attempt, AttemptAnswer, Change } from '../../domain/change.ts';
import { isAsSure } from '../../domain/change.ts';
import type {
  ChangeId,
  ContractId,
  EffectId,
  LaneId,
  LifecycleId,
  ParticipantName,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../domain/ids.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';
import type { CircuitOpening } from '../../domain/pause.ts';
import { isProbed } from '../../domain/pause.ts';
import type { ContractModel } from '../contract/model.ts';
import { eventsOf, withToldRetry } from './events.ts';
import type { AppliedUpdate, Tx } from '../ports/transaction.ts';
import type { AttemptUpdate, AuditEntry, LineageEntry, Mailbox, Writes } from '../ports/writes.ts';
import { LIMITS } from '../../domain/limits.ts';

/** One submission effect per change: its identity follows from the change's. */
export const effectIdOf = (change: ChangeId): EffectId =>
  trusted<EffectId>(`fx-${change.replaceAll('-', '')}`);

/** When a lifecycle lapses, as its timer has it; `null` when it never will. */
const lapseOf = (model: ContractModel, lifecycle: Lifecycle): string | null =>
  lifecycle.endedAt === null ? (model.lifecycle(lifecycle.kind).lapse?.(lifecycle) ?? null) : null;

/**
 * As if one came after the other: what only a probe can end is not ended by what ends by itself, and what counts from
 * the second time on counts where there are two.
 */
function openedAfter(before: CircuitOpening, opening: CircuitOpening): CircuitOpening {
  const { atSecond = false } = before;
  if (atSecond !== (opening.atSecond ?? false)) return atSecond ? opening : before;
  const stays = isProbed(before.reason) && !isProbed(opening.reason);
  return { ...(stays ? before : opening), atSecond: false };
}

/**
 * What one database transaction works on: the locked lanes with their lifecycles and head changes. The core
 * reads and replaces rows here, and everything that changed is written at once at the end.
 */
export class WorkingSet {
  /** What lifecycles and operations are. */
  readonly model: ContractModel;
  readonly #lifecycles = new Map<LifecycleId, Lifecycle>();
  readonly #byContract = new Map<ContractId, LifecycleId>();
  readonly #mailboxes = new Map<LaneId, Mailbox>();
  readonly #changes = new Map<ChangeId, Change>();
  readonly #queued = new Map<LaneId, Change[]>();
  readonly #attemptsOf = new Map<ChangeId, readonly Attempt[]>();
  readonly #applied = new Map<UpdateId, AppliedUpdate>();
  readonly #appliedFor = new Map<ChangeId, AppliedUpdate>();

  /** As they were read: what is not here is new. */
  readonly #lifecyclesBefore = new Map<LifecycleId, Lifecycle>();
  readonly #changesBefore = new Map<ChangeId, Change>();

  readonly #dirtyLifecycles = new Set<LifecycleId>();
  readonly #dirtyMailboxes = new Set<LaneId>();
  readonly #dirtyChanges = new Set<ChangeId>();
  readonly #lineage: LineageEntry[] = [];
  readonly #origins = new Map<ContractId, LifecycleId>();
  readonly #newEffects = new Map<ChangeId, string>();
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
  /** How many waiting changes this transaction has ended. */
  refused = 0;

  /**
   * Whether the ledger may still tell that a change has taken effect, after its database went back to an earlier state.
   * Nothing is refused until then.
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

  /** Updates applied by this very transaction, so that outcomes need not read them back. */
  addApplied(update: AppliedUpdate): void {
    this.#applied.set(update.updateId, update);
    const change = changeOfWorkflow(update.workflowId);
    if (change !== null && !this.#appliedFor.has(change)) this.#appliedFor.set(change, update);
  }

  applied(updateId: UpdateId): AppliedUpdate | null {
    return this.#applied.get(updateId) ?? null;
  }

  /** The one that carries the change's workflow ID. */
  appliedFor(change: ChangeId): AppliedUpdate | null {
    return this.#appliedFor.get(change) ?? null;
  }

  addLineage(entries: readonly LineageEntry[]): void {
    for (const entry of entries) this.#byContract.set(entry.contractId, entry.lifecycleId);
  }

  /** Loads lifecycles of locked lanes that have ended, and that this transaction names: a lane does not bring them. */
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

  /** Lifecycles of a locked lane that had not ended or that this transaction names, and those that it began there. */
  lifecyclesIn(lane: LaneId): Lifecycle[] {
    return [...this.#lifecycles.values()].filter((lifecycle) => lifecycle.lane === lane);
  }

  /** Also for a lifecycle whose row is not loaded. */
  lifecycleIdOfContract(contractId: ContractId): LifecycleId | undefined {
    return this.#byContract.get(contractId);
  }

  /** A contract that stands for no lifecycle was made for this one. */
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

  /** The same, also for one that is not the head of a locked lane. */
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
   * The next change that waits in the lane; each call gives the one after.
   *
   * @param afterNo the place of the change before: a change that this transaction took still looks queued in the table
   */
  async nextQueued(tx: Tx, lane: LaneId, afterNo: number): Promise<Change | undefined> {
    const read = this.#queued.get(lane);
    const waiting = read ?? [];
    this.#queued.set(lane, waiting);
    if (waiting.length === 0) {
      // Most often the machine takes the first one.
      const limit = read === undefined ? 1 : LIMITS.refusedTogetherMax;
      waiting.push(...(await tx.queued(lane, afterNo, limit)));
    }
    const next = waiting.shift();
    if (next === undefined) return undefined;
    // This transaction has already ended the change in its place.
    if ((this.#changes.get(next.id) ?? next).state !== 'queued') {
      return this.nextQueued(tx, lane, next.mailboxNo);
    }
    this.#changesBefore.set(next.id, next);
    return next;
  }

  /** The attempts of a change, oldest first, with the answers that this transaction has learnt. */
  async attemptsOf(tx: Tx, change: ChangeId): Promise<readonly Attempt[]> {
    const found = this.#attemptsOf.get(change) ?? (await tx.attemptsOf(change));
    this.#attemptsOf.set(change, found);
    return found.map((attempt) => ({
      ...attempt,
      answer: this.#answerOf(attempt),
      overAt: attempt.overAt ?? this.#pins.get(attempt.submissionId) ?? null,
    }));
  }

  /** As it will be stored: what a call says late does not take back what its completion has said. */
  #answerOf({ submissionId, answer: known }: Attempt): AttemptAnswer | null {
    let surest = known;
    for (const { answer } of this.#attempts.filter((one) => one.submissionId === submissionId)) {
      if (isAsSure(answer, surest)) surest = answer;
    }
    return surest;
  }

  /** A lifecycle that is only looked at: not locked, and not to be replaced. */
  addSeen(lifecycle: Lifecycle): void {
    if (this.#lifecycles.has(lifecycle.id)) return;
    this.#lifecycles.set(lifecycle.id, lifecycle);
    this.#byContract.set(lifecycle.contractId, lifecycle.id);
  }

  newEffect(change: ChangeId, dueAt: string): void {
    this.#newEffects.set(change, dueAt);
  }

  /** To be submitted again in so many milliseconds, by the clock that all share. */
  effectDue(change: ChangeId, inMs: number): void {
    this.#effectsDue.set(change, inMs);
    this.#effectsDone.delete(change);
  }

  effectDone(change: ChangeId): void {
    // A change that is begun and ended in one transaction leaves no effect at all.
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

  /** From that record time on nothing can come of the attempt. What is known of it stays. */
  pin(submissionId: SubmissionId, overAt: string): void {
    this.#pins.set(submissionId, overAt);
  }

  record(entry: HistoryEntry): void {
    this.#history.push(entry);
  }

  recordAct(entry: AuditEntry): void {
    this.#audit.push(entry);
  }

  /** An event that follows from no row of this transaction. */
  tell(event: NewEvent): void {
    this.#told.push(event);
  }

  /** The participant is to be left alone. */
  openCircuit(opening: CircuitOpening): void {
    const before = this.#circuits.get(opening.participant);
    const merged = before === undefined ? opening : openedAfter(before, opening);
    this.#circuits.set(opening.participant, merged);
  }

  /** The lane has no head and changes wait in it: another transaction continues after this place. */
  interruptLane(lane: LaneId, afterNo: number): void {
    this.#interrupted.set(lane, afterNo);
  }

  /** The lane that was interrupted has its turn. */
  resumeLane(lane: LaneId): void {
    this.#resumed.add(lane);
  }

  /** Something that a policy may wait for has happened, other than that something lapses at another time. */
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
