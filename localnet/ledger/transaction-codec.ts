import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import { toJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import { fromStored } from './lf-stored.ts';
import { ARCHIVE_CHOICE, archiveChoice } from './package-definition.ts';
import type { ChoiceDefinition, TemplateDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import type { RecordOf } from './records.ts';
import type { TraceContext } from './submission.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  Offsets,
  Submitter,
} from './update.ts';

/** Finds the contract of an exercise, either in the same transaction or in the present state. */
export type ContractLookup = (contractId: string) => Contract | undefined;

/** The beginning of a line with a transaction. */
export const TRANSACTION_PREFIX = '{"tx":';

/*
 * A contract is written once, with its creation, and later referred to by its ID. Values are in the ledger's JSON
 * encoding and are decoded with the types of their template and choice. Each line lists its parties once, in `parties`,
 * and refers to them by index, because party IDs are long and every event names several parties. 64-bit integers are
 * strings.
 */

type PartyIndexes = readonly number[];

interface EncodedTransaction {
  /** The update ID. */
  readonly tx: string;
  readonly parties: readonly string[];
  readonly ledgerTime: string;
  readonly recordTime: string;
  readonly workflowId: string;
  readonly traceContext: TraceContext;
  readonly submitter: Omit<Submitter, 'actAs'> & { readonly actAs: PartyIndexes };
  readonly deduplicationOffset: string;
  /** The traffic cost. It is absent in journals of earlier builds, where submissions cost nothing. */
  readonly cost?: string;
  /** The hash that external parties have signed. */
  readonly hash?: string;
  readonly offsets: Partial<Readonly<Record<ParticipantName, string>>>;
  readonly events: readonly (EncodedCreated | EncodedExercised)[];
}

interface EncodedEvent {
  readonly id: string;
  readonly node: number;
  readonly seenBy: PartyIndexes;
  /** Present on events of contracts that the transaction both creates and archives. */
  readonly transient?: true;
}

interface EncodedCreated extends EncodedEvent {
  readonly template: readonly [packageId: string, module: string, entity: string];
  readonly payload: Json;
  readonly signatories: PartyIndexes;
  readonly observers: PartyIndexes;
}

interface EncodedExercised extends EncodedEvent {
  readonly choice: string;
  readonly iface?: readonly [packageName: string, module: string, entity: string];
  readonly last: number;
  readonly argument: Json;
  readonly result: Json;
  readonly actors: PartyIndexes;
  readonly consuming?: true;
}

/** The parties of one line. */
class PartyTable {
  readonly parties: string[] = [];
  readonly #indexes = new Map<string, number>();

  indexesOf(parties: readonly string[]): PartyIndexes {
    return parties.map((party) => {
      const known = this.#indexes.get(party);
      if (known !== undefined) return known;
      this.#indexes.set(party, this.parties.length);
      return this.parties.push(party) - 1;
    });
  }
}

/** Returns the line of a transaction, without the line feed. */
export function encodeTransaction({ transaction, completion }: RecordOf<'transaction'>): string {
  const table = new PartyTable();
  const { submitter, offsets } = transaction;
  const events = transaction.events.map((event) => encodeEvent(event, table));
  const encoded: EncodedTransaction = {
    tx: transaction.updateId,
    parties: table.parties,
    ledgerTime: transaction.ledgerTime.toString(),
    recordTime: transaction.recordTime.toString(),
    workflowId: transaction.workflowId,
    traceContext: transaction.traceContext,
    submitter: { ...submitter, actAs: table.indexesOf(submitter.actAs) },
    deduplicationOffset: completion.deduplicationOffset.toString(),
    cost: completion.paidTrafficCost.toString(),
    ...(transaction.externalHash === undefined ? {} : { hash: transaction.externalHash }),
    offsets: Object.fromEntries(
      Object.entries(offsets).map(([name, offset]) => [name, offset.toString()]),
    ),
    events,
  };
  return JSON.stringify(encoded);
}

function encodeEvent(event: LedgerEvent, table: PartyTable): EncodedCreated | EncodedExercised {
  const { contract } = event;
  const common: EncodedEvent = {
    id: contract.contractId,
    node: event.nodeId,
    seenBy: table.indexesOf(event.witnesses),
    ...(event.isTransient ? { transient: true } : {}),
  };
  return event.kind === 'created'
    ? encodeCreated(contract, common, table)
    : encodeExercised(event, common, table);
}

function encodeCreated(
  { packageId, template, payload, signatories, observers }: Contract,
  common: EncodedEvent,
  table: PartyTable,
): EncodedCreated {
  return {
    ...common,
    template: [packageId, template.name.module, template.name.entity],
    payload: toJson(template.payload, payload),
    signatories: table.indexesOf(signatories),
    observers: table.indexesOf(observers),
  };
}

function encodeExercised(
  event: ExercisedEvent,
  common: EncodedEvent,
  table: PartyTable,
): EncodedExercised {
  const { interfaceName } = event;
  return {
    ...common,
    choice: event.choice,
    ...(interfaceName === undefined
      ? {}
      : { iface: [interfaceName.packageName, interfaceName.module, interfaceName.entity] }),
    last: event.lastDescendantNodeId,
    argument: toJson(event.argumentType, event.argument),
    result: toJson(event.resultType, event.result),
    actors: table.indexesOf(event.actors),
    ...(event.consuming ? { consuming: true } : {}),
  };
}

/** A creation, and the workflow ID of its transaction. */
export interface CreatedIn {
  readonly event: CreatedEvent;
  readonly workflowId: string;
}

/** Decodes a line's creation with this node ID, and nothing else of the line. */
export function createdIn(line: string, registry: PackageRegistry, nodeId: number): CreatedIn {
  const encoded = JSON.parse(line) as EncodedTransaction;
  const event = encoded.events.find(({ node }) => node === nodeId);
  if (event === undefined || !('template' in event)) {
    throw new Error(`update ${encoded.tx} creates nothing at node ${nodeId}`);
  }
  const partiesOf = partiesIn(encoded.parties);
  const ledgerTime = BigInt(encoded.ledgerTime);
  const created = new Map<string, Contract>();
  return {
    event: decodeCreated(event, { registry, created, partiesOf, ledgerTime }),
    workflowId: encoded.workflowId,
  };
}

const partiesIn = (parties: readonly string[]) => (indexes: PartyIndexes) =>
  indexes.map((index) => {
    const party = parties[index];
    if (party === undefined) throw new Error(`no party ${index} in the line`);
    return party;
  });

/** The context for decoding the events of one line. */
interface Decoding {
  readonly registry: PackageRegistry;
  readonly find: ContractLookup;
  readonly created: Map<string, Contract>;
  readonly partiesOf: (indexes: PartyIndexes) => readonly string[];
  readonly ledgerTime: bigint;
}

/**
 * Reads a line. Throws an error with the reason if the line is invalid, because the file is damaged or because of a
 * bug.
 */
export function decodeTransaction(
  line: string,
  registry: PackageRegistry,
  lookUp: ContractLookup,
): RecordOf<'transaction'> {
  const encoded = JSON.parse(line) as EncodedTransaction;
  const partiesOf = partiesIn(encoded.parties);
  const created = new Map<string, Contract>();
  const ledgerTime = BigInt(encoded.ledgerTime);
  const recordTime = BigInt(encoded.recordTime);
  const find: ContractLookup = (contractId) => created.get(contractId) ?? lookUp(contractId);
  const decoding: Decoding = { registry, find, created, partiesOf, ledgerTime };
  const submitter = { ...encoded.submitter, actAs: partiesOf(encoded.submitter.actAs) };
  const offsets = decodeOffsets(encoded.offsets);
  const { workflowId, traceContext, tx: updateId } = encoded;
  const paidTrafficCost = BigInt(encoded.cost ?? '0');
  const events = encoded.events.map((event) =>
    'template' in event ? decodeCreated(event, decoding) : decodeExercised(event, decoding),
  );
  const transaction: LedgerTransaction = {
    kind: 'transaction',
    updateId,
    ledgerTime,
    recordTime,
    workflowId,
    submitter,
    traceContext,
    events,
    offsets,
    paidTrafficCost,
    ...(encoded.hash === undefined ? {} : { externalHash: encoded.hash }),
  };
  const offset = offsets[submitter.participant];
  if (offset === undefined) throw new Error(`update ${updateId} is not on its own participant`);
  const deduplicationOffset = BigInt(encoded.deduplicationOffset);
  const rejection = undefined;
  return {
    kind: 'transaction',
    transaction,
    completion: {
      offset,
      submitter,
      updateId,
      rejection,
      deduplicationOffset,
      recordTime,
      traceContext,
      paidTrafficCost,
    },
  };
}

function decodeOffsets(encoded: EncodedTransaction['offsets']): Offsets {
  const offsets: Partial<Record<ParticipantName, bigint>> = {};
  for (const name of PARTICIPANT_NAMES) {
    const offset = encoded[name];
    if (offset !== undefined) offsets[name] = BigInt(offset);
  }
  return offsets;
}

function decodeCreated(event: EncodedCreated, decoding: Omit<Decoding, 'find'>): CreatedEvent {
  const [packageId, module, entity] = event.template;
  const current = decoding.registry.templateOf(packageId, module, entity);
  if (current === undefined) {
    throw new Error(`no template ${packageId}:${module}:${entity} in this build`);
  }
  const template = templateAtTheTime(current, event.payload);
  const contract: Contract = {
    contractId: event.id,
    template,
    packageId,
    payload: fromStored(template.payload, event.payload),
    signatories: decoding.partiesOf(event.signatories),
    observers: decoding.partiesOf(event.observers),
    createdAt: decoding.ledgerTime,
  };
  decoding.created.set(event.id, contract);
  return {
    kind: 'created',
    nodeId: event.node,
    contract,
    witnesses: decoding.partiesOf(event.seenBy),
    isTransient: event.transient === true,
  };
}

/**
 * Returns the template as it was when a contract was created: the current one, or a former one whose fields are exactly
 * those of the payload.
 */
function templateAtTheTime(current: TemplateDefinition, payload: Json): TemplateDefinition {
  const { former } = current;
  if (former === undefined) return current;
  const count = Object.keys(payload as Readonly<Record<string, Json>>).length;
  return count === former.payload.fields.length ? former : current;
}

function decodeExercised(event: EncodedExercised, decoding: Decoding): ExercisedEvent {
  const contract = decoding.find(event.id);
  if (contract === undefined) throw new Error(`no contract ${event.id} before its exercise`);
  const choice = choiceOf(contract.template, event);
  if (choice === undefined) throw new Error(`no choice ${event.choice} in this build`);
  const [packageName = '', module = '', entity = ''] = event.iface ?? [];
  return {
    kind: 'exercised',
    nodeId: event.node,
    lastDescendantNodeId: event.last,
    contract,
    interfaceName: event.iface === undefined ? undefined : { packageName, module, entity },
    choice: event.choice,
    argumentType: choice.argument,
    argument: fromStored(choice.argument, event.argument),
    resultType: choice.result,
    result: fromStored(choice.result, event.result),
    actors: decoding.partiesOf(event.actors),
    consuming: event.consuming === true,
    witnesses: decoding.partiesOf(event.seenBy),
    isTransient: event.transient === true,
  };
}

function choiceOf(
  template: TemplateDefinition,
  { choice, iface }: EncodedExercised,
): Pick<ChoiceDefinition<unknown>, 'argument' | 'result'> | undefined {
  if (choice === ARCHIVE_CHOICE) return archiveChoice(template);
  if (iface === undefined) return template.choices.find(({ name }) => name === choice);
  const [packageName, module, entity] = iface;
  return template.implements.find(
    ({ iface: { name } }) =>
      name.packageName === packageName && name.module === module && name.entity === entity,
  )?.choices[choice];
}
