import { createHash } from 'node:crypto';
import { participantNames, perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import type { PackageRegistry } from './package-registry.ts';
import { ParticipantState } from './participant-state.ts';
import type {
  GenesisRecord,
  ImportedContracts,
  LedgerRecord,
  RecordOf,
  SequencedRecord,
  UnsequencedRecord,
} from './records.ts';
import { importedTransaction } from './update.ts';
import type { Completion, PartyAdded, Submitter, Update } from './update.ts';

/**
 * Fingerprints follow from the party hint alone, so that party IDs can stand in configuration files: a network that is
 * reset has the same parties again. What tells two ledgers apart is the network ID.
 */
const namespaceOf = (name: string, partyHint: string): string =>
  `1220${createHash('sha256').update(`tenure-localnet/${name}/${partyHint}`).digest('hex')}`;

export interface PackageEntry {
  readonly packageId: string;
  readonly packageName: string;
  readonly version: string;
  /** Microseconds. */
  readonly knownSince: bigint;
  /** Absent: it runs here, and is known to all participants. */
  readonly uploaded?: {
    readonly participants: ReadonlySet<ParticipantName>;
    /** Bytes of the archive's payload. */
    readonly size: number;
    /** The archive's payload, deflated. */
    readonly payload: Uint8Array;
  };
}

const submissionKey = ({ participant, submissionId, commandId }: Submitter) =>
  `${participant}\n${commandId}\n${submissionId}`;

/** The whole ledger in memory, as the fold of its records. Nothing else changes it. */
export class LedgerState {
  readonly partyHint: string;
  /** Those that there are. `participants` knows one under all names if it is the only one. */
  readonly names: readonly ParticipantName[];
  readonly synchronizerId: string;
  readonly participants: Readonly<Record<ParticipantName, ParticipantState>>;
  /** Active contracts of the whole network: what sequencing checks inputs against. */
  readonly active = new Map<string, Contract>();
  /** The participants that each party is hosted on. */
  readonly hosts = new Map<string, ReadonlySet<ParticipantName>>();
  readonly updates = new Map<string, Update>();
  readonly packages = new Map<string, PackageEntry>();
  /** Bytes of all uploaded packages as they are kept. */
  uploadedBytes = 0;
  readonly kept = new Map<string, string>();
  /** Sequenced and without a verdict when the process died. */
  readonly undecided = new Map<string, SequencedRecord>();
  /** Registered and never sequenced: they end when their participant sees that their time is over. */
  readonly unsequenced = new Map<string, UnsequencedRecord>();
  networkId: string | undefined;
  /** Microseconds; the largest that has been given to anything, decided or not. */
  recordTime = 0n;
  /** Microseconds; the largest of what participants have published. Nothing later is published with an earlier one. */
  publishedTime = 0n;
  /** Microseconds; undefined until a static time has been set. */
  staticTime: bigint | undefined;
  readonly #registry: PackageRegistry;

  constructor(registry: PackageRegistry, partyHint: string, isSingle: boolean) {
    this.#registry = registry;
    this.partyHint = partyHint;
    this.synchronizerId = `global-domain::${namespaceOf('sv', partyHint)}`;
    this.names = participantNames(isSingle);
    const gapPhase = { 'app-user': 3, 'app-provider': 6, sv: 9 } as const;
    this.participants = perParticipant(
      isSingle,
      (name) => new ParticipantState(name, namespaceOf(name, partyHint), gapPhase[name]),
    );
  }

  apply(record: LedgerRecord): void {
    switch (record.kind) {
      case 'genesis':
        this.#applyGenesis(record);
        return;
      case 'package':
        this.packages.set(record.packageId, record);
        this.#registry.addFormerId(record.packageId, record.packageName);
        return;
      case 'packageUploaded':
        this.#applyPackageUploaded(record);
        return;
      case 'party':
        this.#applyParty(record);
        return;
      case 'partyAnnotations': {
        const { annotations, resourceVersion } = record;
        const metadata = { annotations, resourceVersion };
        this.participants[record.participant].partyMetadata.set(record.party, metadata);
        return;
      }
      case 'user':
        this.participants[record.participant].usersVersion += 1;
        this.participants[record.participant].users.set(record.user.id, record);
        return;
      case 'userDeleted':
        this.participants[record.participant].usersVersion += 1;
        this.participants[record.participant].users.delete(record.userId);
        return;
      case 'sequenced':
        this.recordTime = record.recordTime;
        this.undecided.set(submissionKey(record.submitter), record);
        return;
      case 'unsequenced':
        this.unsequenced.set(submissionKey(record.submitter), record);
        return;
      case 'transaction':
        this.#applyTransaction(record);
        return;
      case 'rejection':
        this.#applyRejection(record.completion);
        return;
      case 'timeProof': {
        const { participant, offset, recordTime } = record;
        this.#publish(recordTime);
        this.participants[participant].receive({ offset, recordTime });
        return;
      }
      case 'traffic':
        this.participants[record.participant].traffic.set(record);
        return;
      case 'time':
        this.staticTime = record.micros;
        return;
      case 'pruned':
        this.#applyPruned(record);
        return;
      case 'kept':
        this.kept.set(record.name, record.text);
        return;
      default:
        throw new TypeError(`no such record: ${JSON.stringify(record satisfies never)}`);
    }
  }

  #applyGenesis(record: GenesisRecord): void {
    this.networkId = record.networkId;
  }

  /** A package that runs here is what it is, whatever an upload of an earlier build says. */
  #applyPackageUploaded(record: RecordOf<'packageUploaded'>): void {
    const { packageId, packageName, version, knownSince, participant, size } = record;
    const known = this.packages.get(packageId);
    if (known !== undefined && known.uploaded === undefined) return;
    const payload = known?.uploaded?.payload ?? Buffer.from(record.payload, 'base64');
    if (known === undefined) this.uploadedBytes += payload.length;
    const participants = new Set([...(known?.uploaded?.participants ?? []), participant]);
    const uploaded = { participants, size, payload };
    this.packages.set(packageId, { packageId, packageName, version, knownSince, uploaded });
    this.#registry.addUploaded(packageId, packageName);
  }

  #applyParty({ update, annotations, imported }: RecordOf<'party'>): void {
    const { party, host } = update;
    this.hosts.set(party, new Set([...(this.hosts.get(party) ?? []), host]));
    const metadata = { annotations, resourceVersion: '0' };
    this.participants[host].partyMetadata.set(party, metadata);
    this.#place(update, undefined);
    if (imported !== undefined) this.#place(this.#importOf(update, imported), undefined);
  }

  /**
   * What a further host of a party is given: the contracts that the party has a stake in and the host does not know.
   */
  #importOf({ party, host, recordTime }: PartyAdded, imported: ImportedContracts) {
    const { updateId, offset, traceContext } = imported;
    const { active: known } = this.participants[host];
    const contracts = [...this.active.values()].filter(
      (contract) => !known.has(contract.contractId) && stakeholdersOf(contract).includes(party),
    );
    return importedTransaction({
      updateId,
      recordTime,
      traceContext,
      contracts,
      offsets: { [host]: offset },
    });
  }

  #applyTransaction({ transaction, completion }: RecordOf<'transaction'>): void {
    this.#decided(transaction.submitter, transaction.recordTime);
    for (const event of transaction.events) {
      const { contractId } = event.contract;
      if (event.kind === 'created') this.active.set(contractId, event.contract);
      else if (event.consuming) this.active.delete(contractId);
    }
    this.#charge(completion);
    this.#place(transaction, completion);
  }

  #applyRejection(completion: Completion): void {
    const { submitter, offset, recordTime } = completion;
    this.#decided(submitter, recordTime);
    this.#charge(completion);
    this.participants[submitter.participant].receive({ offset, recordTime, completion });
  }

  #charge({ submitter, paidTrafficCost }: Completion): void {
    if (paidTrafficCost > 0n) this.participants[submitter.participant].traffic.pay(paidTrafficCost);
  }

  /** An update to all participants that take part, and its completion to the one that submitted it. */
  #place(update: Update, completion: Completion | undefined): void {
    const { recordTime, offsets } = update;
    this.#publish(recordTime);
    this.updates.set(update.updateId, update);
    for (const name of this.names) {
      const offset = offsets[name];
      if (offset === undefined) continue;
      const isOwn = completion?.submitter.participant === name;
      const arrival = { offset, recordTime, update };
      this.participants[name].receive(isOwn ? { ...arrival, completion } : arrival);
    }
  }

  #decided(submitter: Submitter, recordTime: bigint): void {
    const { undecided, unsequenced } = this;
    if (undecided.size > 0) undecided.delete(submissionKey(submitter));
    if (unsequenced.size > 0) unsequenced.delete(submissionKey(submitter));
    this.#publish(recordTime);
  }

  #publish(recordTime: bigint): void {
    if (recordTime > this.publishedTime) this.publishedTime = recordTime;
    if (recordTime > this.recordTime) this.recordTime = recordTime;
  }

  #applyPruned({ participant, offset }: RecordOf<'pruned'>): void {
    this.participants[participant].pruneUpTo(offset);
    const kept = new Set<Update>();
    for (const name of this.names) {
      for (const update of this.participants[name].keptUpdates()) kept.add(update);
    }
    for (const [updateId, update] of this.updates) {
      if (!kept.has(update)) this.updates.delete(updateId);
    }
  }
}
