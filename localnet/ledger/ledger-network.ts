import { perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { AmuletAllocation } from './amulet/amulet-allocation.ts';
import type { AmuletAllocationPayload } from './amulet/amulet-allocation.ts';
import { amuletContractsOf } from './amulet/bootstrap.ts';
import { bootstrap, partiesOf } from './bootstrap.ts';
import type { BootstrappedParties } from './bootstrap.ts';
import { LedgerClock } from './clock.ts';
import { AS_CONFIGURED } from './conditions.ts';
import type { LedgerConditions } from './conditions.ts';
import { sameType } from './contract.ts';
import type { Contract } from './contract.ts';
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
import { Sequencer } from './sequencer.ts';
import type { Completion } from './update.ts';

export interface LedgerNetworkOptions {
  /** Absent: nothing outlives the process. */
  readonly dataDir?: string;
  /** Where the records are kept, instead of in a data folder. */
  readonly journal?: Journal;
  /** @default 'quickstart-tenure-1' */
  readonly partyHint?: string;
  /** One participant hosts all parties. @default false */
  readonly isSingle?: boolean;
  /** @default 0 */
  readonly latencyMs?: number;
  /** ISO-8601 instant; absent: wall time. */
  readonly staticTime?: string;
  /** @default 7 days */
  readonly maxDeduplicationDurationMs?: number;
  /** @default 256 */
  readonly maxCommandsInFlight?: number;
  /** @default 5 minutes */
  readonly commandDeadlineMs?: number;
  readonly extraPackages?: readonly PackageDefinition[];
  /** What is different from these options for a while. @default nothing */
  readonly conditions?: LedgerConditions;
  /** Rejects submissions for no reason of the ledger's. @default none */
  readonly refuse?: RefuseSubmission;
  /** The journal cannot be written. @default the error is thrown from the event loop, which ends the process */
  readonly onFatal?: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
const PARTY_HINT = /^[A-Za-z0-9]+-[A-Za-z0-9]+-\d+$/;

const endProcess = (error: unknown) =>
  setImmediate(() => {
    throw error;
  });

/** The three participants, the synchronizer between them, and what they share: one clock, one journal. */
export class LedgerNetwork implements Ledger {
  readonly synchronizerId: string;
  readonly participants: Readonly<Record<ParticipantName, ParticipantNode>>;
  readonly parties: BootstrappedParties;
  readonly store: LedgerStore;
  readonly #clock: LedgerClock;
  readonly #sequencer: Sequencer;

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
    const sequencer = new Sequencer({
      store,
      clock,
      latencyMs: () => conditions.latencyMs() ?? options.latencyMs ?? 0,
      onDecided: (completion) => this.#onDecided(completion),
    });
    this.#sequencer = sequencer;
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
        refuse: options.refuse ?? (() => undefined),
      });
    this.participants = perParticipant(options.isSingle ?? false, node);
    bootstrap(store, registry, clock, this.participants);
    this.#timeOutUndecided();
  }

  /** Opens the ledger of a data folder, or a new one. Throws with a reason fit for an operator. */
  static async open(options: LedgerNetworkOptions = {}): Promise<LedgerNetwork> {
    const partyHint = options.partyHint ?? 'quickstart-tenure-1';
    if (!PARTY_HINT.test(partyHint)) {
      throw new Error(`party hint ${partyHint} is not of the form organization-function-number`);
    }
    const registry = new PackageRegistry([...BUILT_IN_PACKAGES, ...(options.extraPackages ?? [])]);
    const { dataDir } = options;
    const journal =
      options.journal ?? (dataDir === undefined ? memoryJournal() : await openJournal(dataDir));
    try {
      const onFatal = options.onFatal ?? endProcess;
      const store = new LedgerStore({
        journal,
        registry,
        partyHint,
        isSingle: options.isSingle ?? false,
        onFatal,
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

  lockedAmuletOf(allocationCid: string): Contract | undefined {
    const allocation = this.store.state.active.get(allocationCid);
    if (allocation === undefined) return undefined;
    if (!sameType(allocation.template.name, AmuletAllocation.name)) return undefined;
    const { lockedAmulet } = allocation.payload as AmuletAllocationPayload;
    return this.store.state.active.get(lockedAmulet);
  }

  nowMicros(): bigint {
    return this.#clock.nowMicros();
  }

  setTime(micros: bigint): void {
    this.#clock.set(micros);
  }

  /** Wall time only: the clock is going to say another one. It never goes back. */
  moveClock(): void {
    this.#clock.move();
  }

  keep(name: string, text: string): void {
    this.store.commit({ kind: 'kept', name, text });
  }

  kept(name: string): string | undefined {
    return this.store.state.kept.get(name);
  }

  async close(): Promise<void> {
    this.#sequencer.close();
    for (const name of this.participantNames) this.participants[name].close();
    await this.store.close();
  }

  #onDecided(completion: Completion): void {
    this.participants[completion.submitter.participant].onDecided(completion);
  }

  /**
   * Requests that had been sequenced when the process died got no confirmation in time: nothing of them has happened,
   * and their participants say so.
   */
  #timeOutUndecided(): void {
    const { store } = this;
    for (const undecided of store.state.undecided.values()) {
      const { submitter, traceContext, deduplicationOffset } = undecided;
      const state = store.state.participants[submitter.participant];
      const unresponsive = state.participantId;
      store.add({
        kind: 'rejection',
        completion: {
          offset: state.offsetAfter(state.ledgerEnd),
          submitter,
          updateId: '',
          traceContext,
          deduplicationOffset,
          recordTime: this.#clock.nextRecordTime(),
          rejection: {
            code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
            text: 'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe',
            metadata: { unresponsiveParties: unresponsive },
            resources: [],
            definiteAnswer: false,
          },
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
