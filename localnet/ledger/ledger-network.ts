import type { Trace } from './engine/places.ts';
import { perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { AmuletAllocation } from './amulet/amulet-allocation.ts';
import { AmuletTransferInstruction } from './amulet/amulet-transfer-instruction.ts';
import type { AmuletTransferInstructionPayload } from './amulet/amulet-transfer-instruction.ts';
import type { AmuletAllocationPayload } from './amulet/amulet-allocation.ts';
import { amuletContractsOf } from './amulet/bootstrap.ts';
import { bootstrap, partiesOf } from './bootstrap.ts';
import type { BootstrappedParties } from './bootstrap.ts';
import { LEDGER_TIME_TOLERANCE_MICROS, LedgerClock } from './clock.ts';
import { AS_CONFIGURED } from './conditions.ts';
import type { LedgerConditions } from './conditions.ts';
import { sameType } from './contract.ts';
import type { Contract } from './contract.ts';
import { NEAR_BYTES } from './entries.ts';
import { memoryJournal, openJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { LedgerStore } from './ledger-store.ts';
import type { AmuletContracts, Ledger } from './ledger.ts';
import { BUILT_IN_PACKAGES } from './licensing/package.ts';
import { parseTimestamp } from './lf-values.ts';
import type { PackageDefinition } from './package-definition.ts';
import { PackageRegistry } from './package-registry.ts';
import { ParticipantNode } from './participant-node.ts';
import type { RefuseSubmission } from './participant-node.ts';
import { addParty } from './parties.ts';
import { Sequencer } from './sequencer.ts';
import { invalidArgument } from './submission-checks.ts';
import { TimeTracker } from './time-tracker.ts';
import { USUAL_PRICE } from './traffic.ts';
import type { RefusedAt, Traffic, TrafficPrice } from './traffic.ts';
import { mediatorTimedOut } from './verdicts.ts';

export interface LedgerNetworkOptions {
  /** If absent, the ledger is lost when the process ends. */
  readonly dataDir?: string;
  /** Where records are stored, instead of in a data folder. */
  readonly journal?: Journal;
  /** The records with which a ledger without storage begins: see {@link LedgerNetwork.history}. @default none */
  readonly history?: Uint8Array;
  /**
   * The maximum size of decoded entries in memory, in bytes of their lines in the journal. @default {@link NEAR_BYTES}
   */
  readonly nearBytes?: number;
  /** The hint from which party IDs are formed. @default 'quickstart-tenure-1' */
  readonly partyHint?: string;
  /** Whether one participant hosts all parties. @default false */
  readonly isSingle?: boolean;
  /** Time from sequencing to verdict. @default 0 */
  readonly latencyMs?: number;
  /** The initial static time, an ISO-8601 instant; if absent, the ledger uses wall time. */
  readonly staticTime?: string;
  /** @default 7 days */
  readonly maxDeduplicationDurationMs?: number;
  /** @default 256 */
  readonly maxCommandsInFlight?: number;
  /** @default 5 minutes */
  readonly commandDeadlineMs?: number;
  /** The maximum difference between ledger time and record time of a transaction. @default 60 s */
  readonly ledgerTimeToleranceMs?: number;
  /**
   * The time after which a participant that got no message from the synchronizer requests the synchronizer's time; `0`
   * means never. @default 24 hours
   */
  readonly timeProofMs?: number;
  /** The price of traffic. @default {@link USUAL_PRICE} */
  readonly trafficPrice?: TrafficPrice;
  /** The traffic balance with which each participant of a new ledger begins; if absent, there is no limit. */
  readonly trafficBalance?: number;
  readonly extraPackages?: readonly PackageDefinition[];
  /** Temporary overrides of these options. @default none */
  readonly conditions?: LedgerConditions;
  /** @default messages of contracts are dropped */
  readonly trace?: Trace;
  /**
   * Returns why to reject a submission that the ledger itself would accept, if it is to be rejected. @default rejects
   * none
   */
  readonly refuse?: RefuseSubmission;
  /** Called if writing the journal fails. @default throws the error outside any request, which ends the process */
  readonly onFatal?: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
const PARTY_HINT = /^[A-Za-z0-9]+-[A-Za-z0-9]+-\d+$/;

const endProcess = (error: unknown) =>
  setImmediate(() => {
    throw error;
  });

/** The three participants, the synchronizer between them, and the shared clock and journal. */
export class LedgerNetwork implements Ledger {
  readonly synchronizerId: string;
  readonly participants: Readonly<Record<ParticipantName, ParticipantNode>>;
  readonly parties: BootstrappedParties;
  readonly store: LedgerStore;
  readonly #clock: LedgerClock;
  readonly #sequencer: Sequencer;
  readonly #times: TimeTracker;

  private constructor(
    store: LedgerStore,
    registry: PackageRegistry,
    options: LedgerNetworkOptions,
  ) {
    const conditions = options.conditions ?? AS_CONFIGURED;
    const clock = new LedgerClock(store, readStaticTime(options.staticTime), () =>
      conditions.clockMicros(),
    );
    this.store = store;
    this.#clock = clock;
    this.synchronizerId = store.state.synchronizerId;
    this.parties = partiesOf(store);
    const toleranceMicros =
      options.ledgerTimeToleranceMs === undefined
        ? LEDGER_TIME_TOLERANCE_MICROS
        : BigInt(options.ledgerTimeToleranceMs) * 1000n;
    const sequencer = new Sequencer({
      store,
      clock,
      latencyMs: () => conditions.latencyMs() ?? options.latencyMs ?? 0,
      toleranceMicros,
      onLost: (name) => this.#times.watch(name),
    });
    this.#sequencer = sequencer;
    this.#times = new TimeTracker({
      store,
      clock,
      timeProofMs: options.timeProofMs ?? DAY_MS,
      prove: (name, done) => sequencer.tellTime(name, done),
      canAsk: (name) => !this.participants[name].isCutOff,
    });
    const node = (name: ParticipantName) =>
      new ParticipantNode({
        store,
        name,
        registry,
        clock,
        sequencer,
        maxDeduplicationDurationMs: () =>
          conditions.deduplicationMs(name) ?? options.maxDeduplicationDurationMs ?? 7 * DAY_MS,
        skewMicros: () => conditions.skewMicros(name),
        maxCommandsInFlight: options.maxCommandsInFlight ?? 256,
        commandDeadlineMs: options.commandDeadlineMs ?? 300_000,
        toleranceMicros,
        price: options.trafficPrice ?? USUAL_PRICE,
        onCaughtUp: (participant) => this.#times.watch(participant),
        refuse: options.refuse ?? (() => undefined),
      });
    this.participants = perParticipant(options.isSingle ?? false, node);
    bootstrap(store, registry, clock, this.participants);
    this.#limitTraffic(options.trafficBalance);
    store.onCompletion = (completion) =>
      this.participants[completion.submitter.participant].onDecided(completion);
    this.#timeOutUndecided();
    this.#times.start();
  }

  /** Opens the ledger of a data folder, or a new one. Throws an error whose message an operator can understand. */
  static async open(options: LedgerNetworkOptions = {}): Promise<LedgerNetwork> {
    const partyHint = options.partyHint ?? 'quickstart-tenure-1';
    if (!PARTY_HINT.test(partyHint)) {
      throw new Error(`party hint ${partyHint} is not of the form organization-function-number`);
    }
    const registry = new PackageRegistry([...BUILT_IN_PACKAGES, ...(options.extraPackages ?? [])]);
    if (options.trace !== undefined) registry.trace = options.trace;
    const { dataDir } = options;
    const journal =
      options.journal ??
      (dataDir === undefined ? memoryJournal(options.history) : await openJournal(dataDir));
    try {
      const onFatal = options.onFatal ?? endProcess;
      const store = new LedgerStore({
        journal,
        registry,
        partyHint,
        isSingle: options.isSingle ?? false,
        onFatal,
        nearBytes: options.nearBytes ?? NEAR_BYTES,
      });
      return new LedgerNetwork(store, registry, options);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get networkId(): string {
    return this.store.state.networkId ?? '';
  }

  get participantNames(): readonly ParticipantName[] {
    return this.store.state.names;
  }

  get isTimeStatic(): boolean {
    return this.#clock.isStatic;
  }

  amuletContracts(): AmuletContracts | undefined {
    return amuletContractsOf(this.store, this.parties.dso);
  }

  lockedAmuletOf(contractId: string): Contract | undefined {
    const waiting = this.store.state.active.get(contractId);
    if (waiting === undefined) return undefined;
    const { template, payload } = waiting;
    const locks = [AmuletAllocation, AmuletTransferInstruction] as const;
    if (!locks.some(({ name }) => sameType(template.name, name))) return undefined;
    const { lockedAmulet } = payload as AmuletAllocationPayload | AmuletTransferInstructionPayload;
    return this.store.state.active.get(lockedAmulet);
  }

  nowMicros(): bigint {
    return this.#clock.nowMicros();
  }

  setTime(micros: bigint): void {
    this.#clock.set(micros);
    this.#times.onTimeSet();
  }

  /** Moves the clock forward. Static time stays at the new time; wall time continues from there. */
  advanceTime(micros: bigint): void {
    this.#clock.advance(micros);
    this.#times.onTimeSet();
  }

  /** Prepares the clock for a new offset from wall time. Time never goes back. */
  moveClock(): void {
    this.#clock.move();
  }

  keep(name: string, text: string): void {
    this.store.commit({ kind: 'kept', name, text });
  }

  kept(name: string): string | undefined {
    return this.store.state.kept.get(name);
  }

  /** Returns the stored texts whose names begin with `prefix`. Each is returned with the rest of its name. */
  *keptUnder(prefix: string): Generator<readonly [rest: string, text: string]> {
    for (const [name, text] of this.store.state.kept) {
      if (name.startsWith(prefix)) yield [name.slice(prefix.length), text];
    }
  }

  /**
   * Keeps a participant behind its synchronizer: its ledger end, contracts, streams and completions do not change, but
   * it still answers calls. If `sends` is true, its new submissions are sequenced; otherwise they never are.
   */
  hold(name: ParticipantName, { sends = true }: { readonly sends?: boolean } = {}): void {
    this.participants[name].hold(sends);
  }

  /** Ends `hold`: the participant sees everything that it missed at once, in order. */
  release(name: ParticipantName): void {
    this.participants[name].release();
  }

  /** Simulates a participant whose process is stopped: it accepts calls, but reads no call and sees no update. */
  stopReading(name: ParticipantName): void {
    this.participants[name].stopReading();
  }

  /** Ends `stopReading`: the participant first reads the waiting calls, at the current time, and then catches up. */
  resumeReading(name: ParticipantName): void {
    this.participants[name].resumeReading();
  }

  /**
   * Makes the synchronizer send its time to one participant, or to all participants. On a quiet network, nothing else
   * advances a participant's time.
   */
  tick(name?: ParticipantName): void {
    for (const one of name === undefined ? this.participantNames : [name]) {
      this.#sequencer.tellTime(this.participants[one].name, () => undefined);
    }
  }

  trafficOf(name: ParticipantName): Traffic {
    const { balance, spent, refusedAt } = this.participants[name].state.traffic;
    return { balance, spent, refusedAt };
  }

  /**
   * Sets a traffic balance; `null` means no limit. Submissions that have no verdict yet are charged to the new balance.
   */
  setTraffic(name: ParticipantName, balance: bigint | null, refusedAt?: RefusedAt): void {
    const { name: participant, state } = this.participants[name];
    const where = refusedAt ?? state.traffic.refusedAt;
    this.store.commit({ kind: 'traffic', participant, balance, refusedAt: where });
  }

  /** Adds to the traffic balance. Does nothing if the participant has no limit. */
  topUp(name: ParticipantName, amount: bigint): void {
    const { balance } = this.trafficOf(name);
    if (balance !== null) this.setTraffic(name, balance + amount);
  }

  /**
   * Hosts an existing party on a further participant, which gets the party's contracts. Throws INVALID_ARGUMENT if the
   * party is unknown, if it is hosted there already, or if the participant is behind.
   */
  hostParty(party: string, name: ParticipantName): void {
    const host = this.participants[name].name;
    const hosts = this.store.state.hosts.get(party);
    if (hosts === undefined) throw invalidArgument(`there is no party ${party}`);
    if (hosts.has(host)) throw invalidArgument(`party ${party} is hosted on ${host} already`);
    // The new host gets the contracts of the party that it does not know yet. While it is behind, it is not certain
    // which these are.
    if (this.participants[name].state.isHeld) throw invalidArgument(`${host} is behind`);
    addParty(this.store, this.#clock, { party, host, annotations: {} });
  }

  hostsOf(party: string): readonly ParticipantName[] {
    const hosts = this.store.state.hosts.get(party);
    return this.participantNames.filter((name) => hosts?.has(name) === true);
  }

  /** Returns all records as lines of text. A network that is opened with these lines has the present state. */
  history(): Uint8Array {
    return this.store.history();
  }

  async close(): Promise<void> {
    this.#times.close();
    this.#sequencer.close();
    for (const name of this.participantNames) this.participants[name].close();
    await this.store.close();
  }

  /** Sets the initial balance on a ledger where no balance was ever set. */
  #limitTraffic(balance: number | undefined): void {
    if (balance === undefined) return;
    for (const name of this.participantNames) {
      if (!this.store.state.participants[name].traffic.isSet)
        this.setTraffic(name, BigInt(balance));
    }
  }

  /**
   * Times out requests that had been sequenced and had no verdict when the process died. They were not confirmed in
   * time, so they had no effect, and their participants report the time-out.
   */
  #timeOutUndecided(): void {
    const { store } = this;
    for (const undecided of store.state.undecided.values()) {
      const { submitter, traceContext, deduplicationOffset, trafficCost = 0n } = undecided;
      const state = store.state.participants[submitter.participant];
      store.add({
        kind: 'rejection',
        completion: {
          offset: state.nextOffset(),
          submitter,
          updateId: '',
          traceContext,
          deduplicationOffset,
          recordTime: this.#clock.nextRecordTime(),
          rejection: mediatorTimedOut(state.participantId),
          paidTrafficCost: trafficCost,
        },
      });
    }
    store.flush();
  }
}

function readStaticTime(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const micros = parseTimestamp(text);
  if (micros === undefined) throw new Error(`static time ${text} is not an ISO-8601 instant`);
  return micros;
}
