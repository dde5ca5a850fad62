import { inflateRawSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { participantNames, perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import { Contracts } from './contracts.ts';
import type { ActiveContracts } from './contracts.ts';
import { Entries } from './entries.ts';
import type { Place } from './entries.ts';
import { HashIndex } from './hash-index.ts';
import type { Journal } from './journal.ts';
import type { PackageRegistry } from './package-registry.ts';
import { ParticipantState } from './participant-state.ts';
import type {
  ExternalParty,
  ExternalPartyProposal,
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
 * Returns the namespace of a participant or party. It depends only on the name and the party hint, so that
 * configuration files can contain party IDs: after a reset, the network has the same parties. The network ID tells two
 * ledgers apart.
 */
const namespaceOf = (name: string, partyHint: string): string =>
  `1220${createHash('sha256').update(`tenure-localnet/${name}/${partyHint}`).digest('hex')}`;

/** An uploaded package's bytes. */
interface PackageContent {
  /** The size of the archive's payload, in bytes. */
  readonly size: number;
  /** The archive's payload, deflated. */
  readonly payload: Uint8Array;
}

export interface PackageEntry {
  readonly packageId: string;
  readonly packageName: string;
  readonly version: string;
  /** The time from which on the package is known, in microseconds. */
  readonly knownSince: bigint;
  /** If absent, LocalNet runs the package natively, and all participants know it. */
  readonly uploaded?: PackageContent & { readonly participants: ReadonlySet<ParticipantName> };
  /**
   * The uploaded content for a package that runs natively: the published package, or the build by which LocalNet's own
   * package was replaced.
   */
  readonly original?: PackageContent;
}

export interface LedgerStateOptions {
  readonly registry: PackageRegistry;
  readonly partyHint: string;
  readonly isSingle: boolean;
  readonly journal: Pick<Journal, 'read'>;
  /** The maximum size of decoded entries in memory, in bytes of their lines in the journal. */
  readonly nearBytes: number;
}

const unpacked = (payload: Uint8Array) => () => inflateRawSync(payload);

const submissionKey = ({ participant, submissionId, commandId }: Submitter) =>
  `${participant}\n${commandId}\n${submissionId}`;

/**
 * The whole ledger, computed from its records alone. Recently used updates, completions and contracts are in memory;
 * the others are read from the journal when needed.
 */
export class LedgerState {
  readonly partyHint: string;
  /**
   * Names of the existing participants. On a network with a single participant, `participants` has that participant
   * under all names.
   */
  readonly names: readonly ParticipantName[];
  readonly synchronizerId: string;
  readonly participants: Readonly<Record<ParticipantName, ParticipantState>>;
  readonly entries: Entries;
  /** Contracts of the whole network. */
  readonly contracts: Contracts;
  /** The participants that host each party. */
  readonly hosts = new Map<string, ReadonlySet<ParticipantName>>();
  /** Proposals for external parties that do not exist yet, by party. Each proposal was approved by one participant. */
  readonly proposals = new Map<string, readonly ExternalPartyProposal[]>();
  /** Parties that sign transactions with keys of their own. */
  readonly externalParties = new Map<string, ExternalParty>();
  readonly #updateIds = new HashIndex();
  readonly packages = new Map<string, PackageEntry>();
  /** Compressed size of all uploaded packages, in bytes. */
  uploadedBytes = 0;
  /** Names of the packages that have ever had contracts. */
  readonly usedPackages = new Set<string>();
  readonly kept = new Map<string, string>();
  /** Requests that had been sequenced and had no verdict when the process died. */
  readonly undecided = new Map<string, SequencedRecord>();
  /**
   * Registered submissions that were never sequenced. Each of them ends when its participant sees that the submission's
   * deadline has passed.
   */
  readonly unsequenced = new Map<string, UnsequencedRecord>();
  networkId: string | undefined;
  /** The latest record time of all requests, with or without a verdict, in microseconds. */
  recordTime = 0n;
  /**
   * The latest record time that participants have published, in microseconds. Later publications have no earlier record
   * time.
   */
  publishedTime = 0n;
  /** The static time in microseconds; undefined until one has been set. */
  staticTime: bigint | undefined;
  readonly #registry: PackageRegistry;

  constructor({ registry, partyHint, isSingle, journal, nearBytes }: LedgerStateOptions) {
    this.#registry = registry;
    this.entries = new Entries(journal, registry, (id) => this.contract(id), nearBytes);
    this.contracts = new Contracts(this.entries, nearBytes / 4);
    this.partyHint = partyHint;
    this.synchronizerId = `global-domain::${namespaceOf('sv', partyHint)}`;
    this.names = participantNames(isSingle);
    const gapPhase = { 'app-user': 3, 'app-provider': 6, sv: 9 } as const;
    this.participants = perParticipant(
      isSingle,
      (name) => new ParticipantState(name, namespaceOf(name, partyHint), gapPhase[name], this),
    );
  }

  /** Active contracts of the whole network. */
  get active(): ActiveContracts<Contract> {
    return this.contracts.active;
  }

  /** Returns a contract of the network, active or not. */
  contract(contractId: string): Contract | undefined {
    const number = this.contracts.find(contractId);
    return number === undefined ? undefined : this.contracts.contract(number);
  }

  updateById(updateId: string): Update | undefined {
    for (const entry of this.#updateIds.candidates(updateId)) {
      const update = this.entries.update(entry);
      if (update.updateId === updateId) return update;
    }
    return undefined;
  }

  /**
   * @param place the position of the record's line in the journal. The line can be read after the entries' `written`
   *   was called
   */
  apply(record: LedgerRecord, place: Place): void {
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
      case 'externalPartyProposed':
      case 'externalParty':
        this.#applyExternalParty(record);
        return;
      case 'partyAnnotations': {
        const { annotations, resourceVersion } = record;
        const metadata = { annotations, resourceVersion };
        this.participants[record.participant].partyMetadata.set(record.party, metadata);
        return;
      }
      case 'user':
      case 'userDeleted':
      case 'identityProvider':
      case 'identityProviderDeleted':
      case 'partyIdentityProvider':
      case 'vetting':
        this.#applyAdministration(record);
        return;
      case 'sequenced':
        this.recordTime = record.recordTime;
        this.undecided.set(submissionKey(record.submitter), record);
        return;
      case 'unsequenced':
        this.unsequenced.set(submissionKey(record.submitter), record);
        return;
      case 'transaction':
        this.#applyTransaction(record, place);
        return;
      case 'rejection':
        this.#applyRejection(record.completion, place);
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
        this.participants[record.participant].pruneUpTo(record.offset);
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

  #applyExternalParty(record: RecordOf<'externalPartyProposed' | 'externalParty'>): void {
    const { party } = record;
    if (record.kind === 'externalPartyProposed') {
      this.proposals.set(party, [...(this.proposals.get(party) ?? []), record]);
      return;
    }
    this.proposals.delete(party);
    this.externalParties.set(party, record);
  }

  #applyAdministration(
    record: RecordOf<
      | 'user'
      | 'userDeleted'
      | 'identityProvider'
      | 'identityProviderDeleted'
      | 'partyIdentityProvider'
      | 'vetting'
    >,
  ): void {
    const participant = this.participants[record.participant];
    switch (record.kind) {
      case 'user':
        participant.usersVersion += 1;
        participant.users.set(record.user.id, record);
        return;
      case 'userDeleted':
        participant.usersVersion += 1;
        participant.users.delete(record.userId);
        return;
      case 'identityProvider':
        participant.identityProviders.set(record.config.identityProviderId, record.config);
        return;
      case 'identityProviderDeleted':
        participant.identityProviders.delete(record.identityProviderId);
        return;
      case 'partyIdentityProvider':
        participant.partyProviders.set(record.party, record.identityProviderId);
        return;
      case 'vetting':
        participant.vetting.apply(record.changes);
        return;
      default:
        throw new TypeError(`no such record: ${JSON.stringify(record satisfies never)}`);
    }
  }

  /**
   * Records an upload. A native package stays native; the upload only adds the content of the package that it stands
   * for. An upload that replaces a native package is recorded differently.
   */
  #applyPackageUploaded(record: RecordOf<'packageUploaded'>): void {
    const { packageId, packageName, version, knownSince, participant, size } = record;
    const known = this.packages.get(packageId);
    const content = known?.uploaded ?? known?.original;
    const payload = content?.payload ?? Buffer.from(record.payload, 'base64');
    if (payload.length === 0) return;
    if (content === undefined) this.uploadedBytes += payload.length;
    const build = { id: packageId, name: packageName, version, payload: unpacked(payload) };
    if (record.takesPlace === true) {
      for (const [id, entry] of this.packages) {
        if (entry.packageName === packageName && entry.uploaded === undefined)
          this.packages.delete(id);
      }
      const original = { size, payload };
      this.packages.set(packageId, { packageId, packageName, version, knownSince, original });
      this.#registry.takePlace(build);
      return;
    }
    if (known !== undefined && known.uploaded === undefined) {
      this.packages.set(packageId, { ...known, original: { size, payload } });
    } else {
      const participants = new Set([...(known?.uploaded?.participants ?? []), participant]);
      const uploaded = { participants, size, payload };
      this.packages.set(packageId, { packageId, packageName, version, knownSince, uploaded });
    }
    this.#registry.uploaded.add(build);
  }

  #applyParty({ update, annotations, imported }: RecordOf<'party'>): void {
    const { party, host } = update;
    this.hosts.set(party, new Set([...(this.hosts.get(party) ?? []), host]));
    const metadata = { annotations, resourceVersion: '0' };
    this.participants[host].partyMetadata.set(party, metadata);
    this.#place(update, this.entries.pin({ update }), undefined);
    if (imported === undefined) return;
    const transaction = this.#importOf(update, imported);
    this.#place(transaction, this.entries.pin({ update: transaction }), undefined);
  }

  /**
   * Returns the contracts that a new host of a party gets: those that have the party as a stakeholder and that the host
   * does not know.
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

  #applyTransaction({ transaction, completion }: RecordOf<'transaction'>, place: Place): void {
    this.#decided(transaction.submitter, transaction.recordTime);
    const entry = this.entries.add({ update: transaction, completion }, place);
    for (const event of transaction.events) {
      const { contract, nodeId } = event;
      if (event.kind === 'created') {
        this.usedPackages.add(contract.template.name.packageName);
        this.contracts.add(contract, entry, nodeId);
      }
      if (event.kind === 'exercised' && event.consuming) {
        this.contracts.archive(contract.contractId, entry, nodeId);
      }
    }
    this.#charge(completion);
    this.#place(transaction, entry, completion);
  }

  #applyRejection(completion: Completion, place: Place): void {
    const { submitter, offset, recordTime } = completion;
    this.#decided(submitter, recordTime);
    this.#charge(completion);
    const entry = this.entries.add({ completion }, place);
    const arrival = { offset, recordTime, entry, hasCompletion: true };
    this.participants[submitter.participant].receive(arrival);
  }

  #charge({ submitter, paidTrafficCost }: Completion): void {
    if (paidTrafficCost > 0n) this.participants[submitter.participant].traffic.pay(paidTrafficCost);
  }

  /** Adds an update to all participants that take part in it, and its completion to the submitting participant. */
  #place(update: Update, entry: number, completion: Completion | undefined): void {
    const { recordTime, offsets } = update;
    this.#publish(recordTime);
    this.#updateIds.add(update.updateId, entry);
    for (const name of this.names) {
      const offset = offsets[name];
      if (offset === undefined) continue;
      const hasCompletion = completion?.submitter.participant === name;
      const arrival = { offset, recordTime, entry, hasUpdate: true, hasCompletion };
      this.participants[name].receive(arrival);
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
}
