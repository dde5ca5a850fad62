import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import { fromJson, toJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import { ARCHIVE_CHOICE, archiveChoice } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import type { LedgerRecord } from './records.ts';
import type {
  Completion,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  Offsets,
} from './update.ts';

/*
 * One record is one line of JSON. Contracts are written once, with their creation, and named by ID afterwards; values
 * are written in the ledger's JSON encoding and read back by the types of their template and choice.
 */

/** Where the contract of an exercise is found again: in the same transaction or in the state so far. */
export type ContractLookup = (contractId: string) => Contract | undefined;

/** `bigint` and `Map` have no JSON of their own; both are tagged, so that reading back needs no schema. */
function replacer(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $n: value.toString() };
  if (value instanceof Map) return { $m: [...(value as Map<unknown, unknown>)] };
  return value;
}

function reviver(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const tagged = value as { readonly $n?: string; readonly $m?: [unknown, unknown][] };
  if (typeof tagged.$n === 'string') return BigInt(tagged.$n);
  if (Array.isArray(tagged.$m)) return new Map(tagged.$m);
  return value;
}

/** One line without its line feed. */
export function encodeRecord(record: LedgerRecord): string {
  if (record.kind !== 'transaction') return JSON.stringify(record, replacer);
  const { events, ...rest } = record.transaction;
  const encoded = {
    kind: 'transaction',
    transaction: { ...rest, events: events.map(encodeEvent) },
    completion: record.completion,
  };
  return JSON.stringify(encoded, replacer);
}

interface EncodedCreated {
  readonly c: readonly [packageId: string, module: string, entity: string];
  readonly id: string;
  readonly n: number;
  /** Values go as text of their own: a text map with a key `$n` must not be taken for a tag. */
  readonly p: string;
  readonly s: readonly string[];
  readonly o: readonly string[];
  readonly at: bigint;
  readonly w: readonly string[];
  readonly t: boolean;
}

interface EncodedExercised {
  readonly x: string;
  readonly i: ExercisedEvent['interfaceName'];
  readonly id: string;
  readonly n: number;
  readonly l: number;
  readonly a: string;
  readonly r: string;
  readonly by: readonly string[];
  readonly e: boolean;
  readonly w: readonly string[];
  readonly t: boolean;
}

function encodeEvent(event: LedgerEvent): EncodedCreated | EncodedExercised {
  const { contract, nodeId, witnesses, isTransient } = event;
  const seen = { id: contract.contractId, n: nodeId, w: witnesses, t: isTransient };
  if (event.kind === 'created') {
    const { module, entity } = contract.template.name;
    return {
      ...seen,
      c: [contract.packageId, module, entity],
      p: JSON.stringify(toJson(contract.template.payload, contract.payload)),
      s: contract.signatories,
      o: contract.observers,
      at: contract.createdAt,
    };
  }
  return {
    ...seen,
    x: event.choice,
    i: event.interfaceName,
    l: event.lastDescendantNodeId,
    a: JSON.stringify(toJson(event.argumentType, event.argument)),
    r: JSON.stringify(toJson(event.resultType, event.result)),
    by: event.actors,
    e: event.consuming,
  };
}

/** Reads a line back. Throws what is a bug or a damaged file, with the reason. */
export function decodeRecord(
  line: string,
  registry: PackageRegistry,
  lookUp: ContractLookup,
): LedgerRecord {
  const raw = JSON.parse(line, reviver) as { readonly kind?: string };
  if (raw.kind !== 'transaction') return raw as LedgerRecord;
  const { transaction, completion } = raw as unknown as {
    readonly transaction: Omit<LedgerTransaction, 'events' | 'offsets'> & {
      readonly offsets: ReadonlyMap<ParticipantName, bigint>;
      readonly events: readonly (EncodedCreated | EncodedExercised)[];
    };
    readonly completion: Completion;
  };
  const created = new Map<string, Contract>();
  const find: ContractLookup = (contractId) => created.get(contractId) ?? lookUp(contractId);
  const events = transaction.events.map((event) => {
    const decoded = 'c' in event ? decodeCreated(event, registry) : decodeExercised(event, find);
    if (decoded.kind === 'created') created.set(decoded.contract.contractId, decoded.contract);
    return decoded;
  });
  const offsets: Offsets = transaction.offsets;
  return { kind: 'transaction', transaction: { ...transaction, events, offsets }, completion };
}

function decodeCreated(event: EncodedCreated, registry: PackageRegistry): LedgerEvent {
  const [packageId, module, entity] = event.c;
  const template = registry.templateOf(packageId, module, entity);
  if (template === undefined) {
    throw new Error(`no template ${packageId}:${module}:${entity} in this build`);
  }
  const contract: Contract = {
    contractId: event.id,
    template,
    packageId,
    payload: fromJson(template.payload, JSON.parse(event.p) as Json),
    signatories: event.s,
    observers: event.o,
    createdAt: event.at,
  };
  const { n: nodeId, w: witnesses, t: isTransient } = event;
  return { kind: 'created', nodeId, contract, witnesses, isTransient };
}

function decodeExercised(event: EncodedExercised, find: ContractLookup): LedgerEvent {
  const contract = find(event.id);
  if (contract === undefined) throw new Error(`no contract ${event.id} before its exercise`);
  const { template } = contract;
  const implementation = template.implements.find(
    ({ iface }) => iface.name.module === event.i?.module && iface.name.entity === event.i.entity,
  );
  const choice =
    event.x === ARCHIVE_CHOICE
      ? archiveChoice(template)
      : (implementation?.choices[event.x] ?? template.choices.find(({ name }) => name === event.x));
  if (choice === undefined) throw new Error(`no choice ${event.x} in this build`);
  return {
    kind: 'exercised',
    nodeId: event.n,
    lastDescendantNodeId: event.l,
    contract,
    interfaceName: event.i,
    choice: event.x,
    argumentType: choice.argument,
    argument: fromJson(choice.argument, JSON.parse(event.a) as Json),
    resultType: choice.result,
    result: fromJson(choice.result, JSON.parse(event.r) as Json),
    actors: event.by,
    consuming: event.e,
    witnesses: event.w,
    isTransient: event.t,
  };
}
