import type { ParticipantName } from '../ports.ts';
import type { LedgerClock } from './clock.ts';
import { CommandTracker, rejectionError } from './command-tracker.ts';
import { isVisibleTo } from './contract.ts';
import type { Contract } from './contract.ts';
import { changeIdText, deduplicate } from './deduplication.ts';
import { readDisclosed } from './disclosed-contracts.ts';
import { contentOf } from './misfortune.ts';
import { entropy, newTraceparent } from './entropy.ts';
import { IdentityProviders } from './identity-providers.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import { ParticipantPackages } from './packages.ts';
import { withChosenPackages } from './package-choice.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import { ParticipantParties } from './parties.ts';
import type { Accepted, ParticipantApi, WaitOptions } from './participant.ts';
import type { ParticipantState, PlacedUpdate } from './participant-state.ts';
import { interpretTraced } from './preprocessing.ts';
import type { ExternalParty } from './records.ts';
import { Access } from './rights.ts';
import {
  checkDisclosedSynchronizers,
  checkInformees,
  checkKnownSubmitters,
  checkPreferences,
  checkRootPackages,
  checkSubmitters,
  checkSynchronizer,
} from './routing.ts';
import { hasCreatedSince, latestTransactions } from './seen-updates.ts';
import type { Sequencer, SequencingRequest, SignedFor } from './sequencer.ts';
import { isTimestamp } from './lf-values.ts';
import { checkUserName, invalidArgument, readSubmission } from './submission-checks.ts';
import type { RawSubmission, Submission } from './submission.ts';
import { unsequencedOf } from './time-outs.ts';
import { costOf } from './traffic.ts';
import type { TrafficPrice } from './traffic.ts';
import { latestOf } from './transaction-tree.ts';
import type { TransactionTree } from './transaction-tree.ts';
import { changeKey } from './update.ts';
import type { Completion, LedgerEvent, LedgerTransaction, Rejection, Submitter } from './update.ts';
import { ParticipantUsers } from './users.ts';
import { notSequenced } from './verdicts.ts';
import { VettedPackageStates } from './vetted-packages.ts';
import { requireVetted } from './vetting-check.ts';
import { TIMER_MS_MAX, pause } from './wakeup.ts';

export interface ParticipantNodeOptions {
  readonly store: LedgerStore;
  readonly name: ParticipantName;
  readonly registry: PackageRegistry;
  readonly clock: LedgerClock;
  readonly sequencer: Sequencer;
  readonly maxDeduplicationDurationMs: () => number;
  /** Returns how far the participant's clock is ahead of the ledger's, in microseconds. */
  readonly skewMicros: () => bigint;
  readonly maxCommandsInFlight: number;
  readonly commandDeadlineMs: number;
  /** How much later than its ledger time a submission can be sequenced, in microseconds. */
  readonly toleranceMicros: bigint;
  readonly price: TrafficPrice;
  /** Called when a participant that was behind has seen the updates that it had missed. */
  readonly onCaughtUp: (name: ParticipantName) => void;
  /** Returns why to reject a submission that is otherwise valid, if it is to be rejected. */
  readonly refuse: RefuseSubmission;
}

/** A submission that has passed deduplication. */
export interface FreshSubmission {
  readonly submitter: Submitter;
  /** IDs of the existing contracts that the submission uses. */
  readonly contractIds: readonly string[];
  readonly deduplicationOffset: bigint;
}

/**
 * A failure of a submission that the network causes:
 *
 * - `rejected`: its completion reports the rejection. If `isSequenced`, the synchronizer has seen the submission, and
 *   record time advances. Otherwise the submission never reached the synchronizer, and the completion has the record
 *   time of the last published event.
 * - `lost`: the submission never reaches the sequencer, and it times out at its deadline for sequencing.
 */
export type Misfortune =
  | { readonly kind: 'rejected'; readonly rejection: Rejection; readonly isSequenced: boolean }
  | { readonly kind: 'lost' };

/** Returns the failure that the network causes for a submission, or `undefined` for none. */
export type RefuseSubmission = (submission: FreshSubmission) => Misfortune | undefined;

/** A submission that has been interpreted and routed, but not registered yet. */
export interface Prepared {
  readonly tree: TransactionTree;
  readonly ledgerTime: bigint;
  /** Present if the parties have signed the transaction themselves. */
  readonly signed?: SignedFor;
}

/** Options for preparing commands without submitting them, so that the parties can sign the result first. */
export interface Preparation {
  readonly seedOf: (nodeId: number) => Uint8Array;
}

/**
 * One participant. The steps of a submission are, in this order: interpretation, routing, the in-flight check,
 * deduplication, sequencing, confirmation. A submission that fails before it is registered as in flight is refused at
 * once and leaves no trace. A later failure is reported as a completion.
 */
export class ParticipantNode implements ParticipantApi {
  readonly name: ParticipantName;
  readonly participantId: string;
  readonly synchronizerId: string;
  readonly state: ParticipantState;
  readonly registry: PackageRegistry;
  readonly users: ParticipantUsers;
  readonly parties: ParticipantParties;
  readonly identityProviders: IdentityProviders;
  readonly packages: ParticipantPackages;
  readonly vettedPackages: VettedPackageStates;
  /** Called for every completion of this participant. */
  onCompletion: (completion: Completion) => void = () => undefined;
  readonly #options: ParticipantNodeOptions;
  readonly #tracker: CommandTracker;
  /** The submission ID of each change that is in flight: from registration until the completion is published. */
  readonly #inFlight = new Map<string, string>();
  readonly #closed = new AbortController();
  /** Set while the participant is stopped. It resolves when the participant resumes. */
  #stopped: PromiseWithResolvers<void> | undefined;
  /** Whether `hold` put the participant behind. This remains true while the participant is also stopped. */
  #isBehind = false;
  /** Whether messages of the participant are lost while it is behind. */
  #isCutOff = false;

  constructor(options: ParticipantNodeOptions) {
    const { store, name, registry, clock } = options;
    this.#options = options;
    this.name = name;
    this.state = store.state.participants[name];
    this.registry = registry;
    this.participantId = this.state.participantId;
    this.synchronizerId = store.state.synchronizerId;
    this.users = new ParticipantUsers(store, this.state);
    this.parties = new ParticipantParties(store, this.state, clock);
    this.identityProviders = new IdentityProviders(store, this.state);
    this.packages = new ParticipantPackages({ store, name, registry, clock });
    this.vettedPackages = new VettedPackageStates(store, name, this.packages);
    this.#tracker = new CommandTracker(options);
    for (const { submitter } of unsequencedOf(store.state, name)) {
      this.#inFlight.set(changeKey(submitter), submitter.submissionId);
    }
  }

  access(userId: string, identityProviderId = ''): Access {
    checkUserName(userId);
    const entry = this.state.users.get(userId);
    if (entry === undefined) throw new LedgerError('PERMISSION_DENIED', `unknown user ${userId}`);
    if (entry.user.isDeactivated) {
      throw new LedgerError('PERMISSION_DENIED', `user ${userId} is deactivated`);
    }
    if (entry.user.identityProviderId !== identityProviderId) {
      throw new LedgerError('PERMISSION_DENIED', 'User is assigned to another identity provider');
    }
    return new Access(userId, entry.rights, identityProviderId);
  }

  nowMicros(): bigint {
    return this.#options.clock.nowMicros() + this.#options.skewMicros();
  }

  ledgerEnd(): bigint {
    return this.state.ledgerEnd;
  }

  recordTime(): bigint {
    return this.state.recordTime;
  }

  prunedUpTo(): bigint {
    return this.state.prunedUpTo;
  }

  /** Returns an update in which this participant took part and which it has not pruned. */
  updateById(updateId: string): PlacedUpdate | undefined {
    const update = this.#options.store.state.updateById(updateId);
    const offset = update?.offsets[this.name];
    if (update === undefined || offset === undefined) return undefined;
    const { prunedUpTo, ledgerEnd } = this.state;
    return offset > prunedUpTo && offset <= ledgerEnd ? { offset, update } : undefined;
  }

  activeContracts(
    party: string | undefined,
    isWanted: (template: TemplateDefinition) => boolean = () => true,
  ): Iterable<Contract> {
    return this.state.contracts.activeOf(party, isWanted);
  }

  activeContract(party: string, contractId: string): Contract | undefined {
    return this.#usable(contractId, new Set([party]));
  }

  hasCreatedSince(offset: bigint, isWanted: (contract: Contract) => boolean): boolean {
    return hasCreatedSince(this.state.updates, offset, isWanted);
  }

  untilPublished(signal: AbortSignal): Promise<void> {
    return this.state.published.wait(signal, TIMER_MS_MAX);
  }

  eventsOf(updateId: string): readonly LedgerEvent[] {
    const update = this.updateById(updateId)?.update;
    return update?.kind === 'transaction' ? update.events : [];
  }

  latestTransactions(fromUpdateId?: string): Iterable<LedgerTransaction> {
    if (fromUpdateId === undefined) return latestTransactions(this.state.updates, undefined);
    const from = this.updateById(fromUpdateId);
    return from === undefined ? [] : latestTransactions(this.state.updates, from.offset);
  }

  /** The network's external parties, with their keys. */
  get externalParties(): ReadonlyMap<string, ExternalParty> {
    return this.#options.store.state.externalParties;
  }

  /** Returns the synchronizer's price for a submission of `bytes` bytes. */
  costOf(bytes: number): bigint {
    return costOf(bytes, this.#options.price);
  }

  readSubmission(raw: RawSubmission, userId: string): Submission {
    const submission = readSubmission(raw, userId);
    checkPreferences(submission.packageIdSelectionPreference, this.packages);
    return submission;
  }

  async submit(submission: Submission): Promise<void> {
    const prepared = this.prepare(submission);
    await this.#waitForLedgerTime(prepared.ledgerTime);
    await this.submitPrepared(submission, prepared);
  }

  submitAndWait(submission: Submission, options: WaitOptions): Promise<Accepted> {
    return this.track(submission, options, () => this.submit(submission));
  }

  /** Registers a prepared submission, and sends it to the sequencer. */
  submitPrepared(submission: Submission, prepared: Prepared): Promise<void> {
    return this.#options.sequencer.sequence(this.#register(submission, prepared));
  }

  /** Runs `submit`, and waits for the completion of the submission that it hands over. */
  track(
    submission: Submission,
    options: WaitOptions,
    submit: () => Promise<void>,
  ): Promise<Accepted> {
    return this.#tracker.track(submission, options, submit);
  }

  /** Called after a completion of this participant has been published. */
  onDecided(completion: Completion): void {
    const key = changeKey(completion.submitter);
    if (this.#inFlight.get(key) === completion.submitter.submissionId) this.#inFlight.delete(key);
    this.#tracker.onDecided(completion);
    this.onCompletion(completion);
  }

  /** Prunes everything up to and including `offset`. Throws UNSAFE_TO_PRUNE within the deduplication window. */
  prune(offset: bigint): void {
    const { ledgerEnd, prunedUpTo, completions } = this.state;
    if (offset <= 0n || offset >= ledgerEnd) {
      throw new LedgerError(
        'OFFSET_OUT_OF_RANGE',
        `prune_up_to needs to be before ledger end ${ledgerEnd}`,
      );
    }
    if (offset <= prunedUpTo) return;
    const windowStart = this.nowMicros() - this.#maxDeduplicationMicros;
    const firstUnsafe = completions.offsetAt(completions.indexSince(windowStart));
    if (firstUnsafe !== undefined && firstUnsafe <= offset) {
      throw new LedgerError(
        'UNSAFE_TO_PRUNE',
        `Participant cannot prune at specified offset due to the deduplication window: ${firstUnsafe - 1n} is safe`,
        { metadata: { safe_offset: (firstUnsafe - 1n).toString() } },
      );
    }
    this.#options.store.commit({ kind: 'pruned', participant: this.name, offset });
  }

  /**
   * Makes the participant stop seeing updates; it still answers calls. If `sends` is true, new submissions still reach
   * the sequencer.
   */
  hold(sends: boolean): void {
    this.#isBehind = true;
    this.#isCutOff = !sends;
    this.state.hold();
  }

  /** Makes the participant see everything that it missed, unless it is also stopped. */
  release(): void {
    this.#isBehind = false;
    this.#isCutOff = false;
    this.#catchUp();
  }

  /** Whether `hold` put the participant behind. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Whether messages of the participant do not reach the synchronizer. */
  get isCutOff(): boolean {
    return this.#isCutOff || this.isStopped;
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Makes the participant read no calls and see no updates, like a stopped process. */
  stopReading(): void {
    this.#stopped ??= Promise.withResolvers();
    this.state.hold();
  }

  /** Reads the calls that arrived during the stop, and then sees the updates that the participant has missed. */
  resumeReading(): void {
    if (this.#stopped === undefined) return;
    this.#stopped.resolve();
    this.#stopped = undefined;
    setImmediate(() => this.#catchUp());
  }

  /** Resolves when the participant reads calls again, which may never happen. */
  async untilReading(): Promise<void> {
    while (this.#stopped !== undefined) await this.#stopped.promise;
  }

  close(): void {
    this.#closed.abort();
    this.#tracker.close();
    this.#stopped?.resolve();
    this.#stopped = undefined;
  }

  #catchUp(): void {
    if (this.#isBehind || this.isStopped) return;
    this.state.letGo();
    this.#options.store.tell();
    this.#options.onCaughtUp(this.name);
  }

  /**
   * Returns the time of the next publication. Publication times never decrease, even if the participant's clock is
   * behind.
   */
  #publicationTime(): bigint {
    const now = this.nowMicros();
    const { recordTime } = this.state;
    return now > recordTime ? now : recordTime;
  }

  get #maxDeduplicationMicros(): bigint {
    return BigInt(this.#options.maxDeduplicationDurationMs()) * 1000n;
  }

  /**
   * Interprets and routes a submission. With `preparation`, the result is not submitted, so the parties need not be
   * hosted here.
   */
  prepare(submission: Submission, preparation?: Preparation): Prepared {
    const { state } = this.#options.store;
    const disclosed = readDisclosed(submission, this.registry);
    const ledgerTime = this.#ledgerTimeOf(submission);
    checkSynchronizer(submission.synchronizerId, state.synchronizerId);
    checkRootPackages(submission, this.registry, this.synchronizerId);
    const how = { disclosed, ...preparation };
    const tree = this.#interpret(submission, ledgerTime, how);
    checkDisclosedSynchronizers(submission.synchronizerId, disclosed, state.synchronizerId);
    const latest = latestOf(tree);
    // A contract that the submission uses may have been created through a participant whose clock was ahead. The
    // transaction then gets the contract's creation time as its ledger time.
    const prepared =
      latest <= ledgerTime
        ? { tree, ledgerTime }
        : { tree: this.#interpret(submission, latest, how), ledgerTime: latest };
    if (preparation === undefined) {
      checkSubmitters(submission.actAs, this.name, this.state.hosts, state.externalParties);
    } else {
      checkKnownSubmitters(submission.actAs, this.state.hosts);
    }
    checkInformees(prepared.tree, this.state.hosts);
    requireVetted(submission, prepared.tree, this.name, {
      state,
      registry: this.registry,
      synchronizerId: this.synchronizerId,
      at: prepared.ledgerTime,
    });
    return prepared;
  }

  #interpret(
    submission: Submission,
    ledgerTime: bigint,
    {
      disclosed,
      seedOf,
    }: Partial<Preparation> & { readonly disclosed: ReturnType<typeof readDisclosed> },
  ): TransactionTree {
    const readers = new Set([...submission.actAs, ...submission.readAs]);
    return interpretTraced(withChosenPackages(submission, this, ledgerTime), submission.actAs, {
      registry: this.registry,
      ledgerTime,
      seed: entropy(32),
      ...(seedOf === undefined ? {} : { seedOf }),
      lookUp: (contractId) => disclosed.lookUp(contractId, this.#usable(contractId, readers)),
      lookUpByPayload: (template, payload) =>
        [...this.state.activeByPayload(template, payload)].filter((of) => isVisibleTo(of, readers)),
      contractsOf: ({ name }) => this.state.contracts.visibleOf(name, readers),
    });
  }

  /** Returns an active contract of this participant, if one of the readers is a stakeholder. */
  #usable(contractId: string, readers: ReadonlySet<string>): Contract | undefined {
    const contract = this.state.contracts.activeContract(contractId);
    return contract !== undefined && isVisibleTo(contract, readers) ? contract : undefined;
  }

  #ledgerTimeOf({ minLedgerTime }: Submission): bigint {
    const now = this.nowMicros();
    if (minLedgerTime === undefined) return now;
    const { kind, micros } = minLedgerTime;
    const asked = kind === 'relative' ? now + micros : micros > now ? micros : now;
    if (isTimestamp(asked)) return asked;
    throw invalidArgument(`Can not represent command ledger time ${asked} as a Daml timestamp`);
  }

  /** With wall time, waits until the submission's ledger time is reached. With static time, waiting would not help. */
  async #waitForLedgerTime(ledgerTime: bigint): Promise<void> {
    if (this.#options.clock.isStatic) return;
    for (;;) {
      const waitMs = Number((ledgerTime - this.nowMicros()) / 1000n);
      if (waitMs <= 0) return;
      await pause(waitMs, this.#closed.signal);
      if (this.#closed.signal.aborted) {
        throw new LedgerError('SERVICE_NOT_RUNNING', `${this.name} is shutting down`);
      }
    }
  }

  /**
   * Checks whether the change is in flight, and then for duplicates. After registration, the outcome is reported as a
   * completion.
   */
  #register(submission: Submission, { tree, ledgerTime, signed }: Prepared): SequencingRequest {
    const { toleranceMicros } = this.#options;
    if (this.state.recordTime > ledgerTime + toleranceMicros) throw rejectionError(notSequenced);
    const { userId, commandId, submissionId, actAs, workflowId } = submission;
    const submitter: Submitter = { participant: this.name, userId, commandId, submissionId, actAs };
    const key = changeKey(submitter);
    const existing = this.#inFlight.get(key);
    if (existing !== undefined) throw this.#alreadyInFlight(submitter, existing);
    const outcome = deduplicate(
      changeIdText(submitter),
      submission.deduplication ?? { kind: 'duration', micros: this.#maxDeduplicationMicros },
      {
        accepted: this.state.acceptedChange(key),
        now: this.#publicationTime(),
        prunedUpTo: this.state.prunedUpTo,
        prunedPublishedAt: this.state.prunedPublishedAt,
      },
    );
    this.#inFlight.set(key, submissionId);
    const { deduplicationOffset } = outcome;
    const traceContext = submission.traceContext ?? { traceparent: newTraceparent() };
    const cost = this.costOf(submission.bytes);
    const common = {
      submitter,
      workflowId,
      traceContext,
      deduplicationOffset,
      ledgerTime,
      cost,
      ...(signed === undefined ? {} : { signed }),
    };
    if (outcome.kind === 'refused') {
      const { rejection } = outcome;
      return { ...common, content: { kind: 'refusal', rejection, isSequenced: false } };
    }
    if (this.isCutOff) return { ...common, content: { kind: 'lost' } };
    const contractIds = [...tree.inputs.keys()];
    const misfortune = this.#options.refuse({ submitter, contractIds, deduplicationOffset });
    return { ...common, content: contentOf(misfortune, tree) };
  }

  #alreadyInFlight(submitter: Submitter, existingSubmissionId: string): LedgerError {
    return new LedgerError('SUBMISSION_ALREADY_IN_FLIGHT', 'The submission is already in-flight', {
      metadata: {
        changeId: changeIdText(submitter),
        existingSubmissionId: `Some(${existingSubmissionId})`,
        existingSubmissionSynchronizerId: this.synchronizerId,
      },
    });
  }
}
