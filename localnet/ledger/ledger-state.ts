import { createHash } from 'node:crypto';
import { participantNames, perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import type { PackageRegistry } from './package-registry.ts';
import { ParticipantState } from './participant-state.ts';
import type { GenesisRecord, LedgerRecord, RecordOf, SequencedRecord } from './records.ts';
import type { Submitter, Update } from './update.ts';

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
  /** Participant that each party is hosted on. */
  readonly hosts = new Map<string, ParticipantName>();
  readonly updates = new Map<string, Update>();
  readonly packages = new Map<string, PackageEntry>();
  /** Bytes of all uploaded packages as they are kept. */
  uploadedBytes = 0;
  readonly kept = new Map<string, string>();
  /** Sequenced and without a verdict when the process died. */
  readonly undecided = new Map<string, SequencedRecord>();
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
      case 'transaction':
        this.#applyTransaction(record);
        return;
      case 'rejection':
        this.#decided(record.completion.submitter, record.completion.recordTime);
        this.participants[record.completion.submitter.participant].addCompletion(record.completion);
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

  #applyParty({ update, annotations }: RecordOf<'party'>): void {
    this.hosts.set(update.party, update.host);
    const host = this.participants[update.host];
    host.hosted.add(update.party);
    host.partyMetadata.set(update.party, { annotations, resourceVersion: '0' });
    this.#place(update);
  }

  #applyTransaction({ transaction, completion }: RecordOf<'transaction'>): void {
    this.#decided(transaction.submitter, transaction.recordTime);
    for (const event of transaction.events) {
      const { contractId } = event.contract;
      if (event.kind === 'created') this.active.set(contractId, event.contract);
      else if (event.consuming) this.active.delete(contractId);
    }
    this.#place(transaction);
    this.participants[transaction.submitter.participant].addCompletion(completion);
  }

  #place(update: Update): void {
    this.#publish(update.recordTime);
    this.updates.set(update.updateId, update);
    for (const name of this.names) {
      const offset = update.offsets[name];
      if (offset !== undefined) this.participants[name].addUpdate({ offset, update });
    }
  }

  #decided(submitter: Submitter, recordTime: bigint): void {
    if (this.undecided.size > 0) this.undecided.delete(submissionKey(submitter));
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
      for (const { update } of this.participants[name].updates) kept.add(update);
    }
    for (const [updateId, update] of this.updates) {
      if (!kept.has(update)) this.updates.delete(updateId);
    }
  }
}
