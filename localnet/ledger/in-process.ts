import { Meter } from './engine/bounds.ts';
import { typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { sameType } from './contract.ts';
import { encodeBlob } from './created-event-blob.ts';
import { jsonSource, toJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import { timestampText } from './lf-values.ts';
import type { ChoiceType, InterfaceDefinition, TemplateDefinition } from './package-definition.ts';
import type { Accepted, ParticipantApi, WaitOptions } from './participant.ts';
import type {
  DisclosedContract,
  LedgerCommand,
  RawSubmission,
  TypeReference,
} from './submission.ts';
import type { LedgerEvent } from './update.ts';

/*
 * How the HTTP surfaces of a validator use its participant: they read contracts of a party and submit in its name, as
 * any other client, only without a wire in between.
 */

/** An active contract, seen as one of the types that it has. */
export interface HeldContract<V> {
  readonly contract: Contract;
  /** Its payload, or its view when it was asked for by an interface. */
  readonly value: V;
  /** `value` in the ledger's JSON encoding. */
  readonly json: Json;
}

type Target<V> = TemplateDefinition<V> | InterfaceDefinition<V>;

/** How a template implements an interface. */
const implementationOf = (template: TemplateDefinition, of: Target<unknown>) =>
  template.implements.find(({ iface }) => sameType(iface.name, of.name));

const isA = (template: TemplateDefinition, of: Target<unknown>): boolean =>
  of.kind === 'template'
    ? sameType(template.name, of.name)
    : implementationOf(template, of) !== undefined;

/** Returns the contract as type `of`, or `undefined` when the contract is not of that type. */
function heldAs<V>(contract: Contract, of: Target<V>): HeldContract<V> | undefined {
  const { template, payload } = contract;
  if (of.kind === 'template') {
    if (!isA(template, of)) return undefined;
    return { contract, value: payload as V, json: toJson(template.payload, payload) };
  }
  const found = implementationOf(template, of);
  if (found === undefined) return undefined;
  const value = found.view(payload, new Meter()) as V;
  return { contract, value, json: toJson(of.view, value) };
}

/** Active contracts of a type that `party` has a stake in, in order of creation. */
export function heldContracts<V>(
  participant: ParticipantApi,
  party: string,
  of: Target<V>,
): readonly HeldContract<V>[] {
  const held: HeldContract<V>[] = [];
  for (const contract of participant.activeContracts(party, (template) => isA(template, of))) {
    const found = heldAs(contract, of);
    if (found !== undefined) held.push(found);
  }
  return held;
}

/** Returns one contract; `undefined` when it is inactive, not visible to the party, or of another type. */
export function heldContract<V>(
  participant: ParticipantApi,
  party: string,
  of: Target<V>,
  contractId: string,
): HeldContract<V> | undefined {
  const contract = participant.activeContract(party, contractId);
  return contract === undefined ? undefined : heldAs(contract, of);
}

const templateIdOf = ({ packageId, template }: Contract): string =>
  typeText(packageId, template.name);

const blobOf = (contract: Contract): string => Buffer.from(encodeBlob(contract)).toString('base64');

/** A contract as validators and the network's scan show it; `payload` is its own or a view's JSON. */
export const contractJson = (contract: Contract, payload?: Json) => ({
  template_id: templateIdOf(contract),
  contract_id: contract.contractId,
  payload: payload ?? toJson(contract.template.payload, contract.payload),
  created_event_blob: blobOf(contract),
  created_at: timestampText(contract.createdAt),
});

/** A contract as registries disclose it, and as the JSON Ledger API takes it. */
export const disclosureJson = (contract: Contract, synchronizerId: string) => ({
  templateId: templateIdOf(contract),
  contractId: contract.contractId,
  createdEventBlob: blobOf(contract),
  synchronizerId,
});

const referenceOf = (packageId: string, { module, entity }: Target<unknown>['name']) => ({
  packageId,
  module,
  entity,
});

const disclosed = (contract: Contract): DisclosedContract => ({
  templateId: referenceOf(contract.packageId, contract.template.name),
  contractId: contract.contractId,
  createdEventBlob: encodeBlob(contract),
  synchronizerId: '',
});

/** A submission's submitter, name and commands. Deduplication uses the command ID. */
interface Request extends Pick<RawSubmission, 'traceContext'> {
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly commandId: string;
  /** Contracts that the command uses and the parties do not see. */
  readonly disclosedContracts?: readonly Contract[];
}

/** A choice that a party exercises. */
export interface Exercise<A, R> extends Request {
  readonly target: TemplateDefinition | InterfaceDefinition;
  readonly contractId: string;
  readonly choice: ChoiceType<A, R>;
  /** Checked like any other command's: texts in it may come from a caller. */
  readonly argument: A;
}

/** A contract that a party creates. */
export interface Create<P> extends Request {
  readonly template: TemplateDefinition<P>;
  /** Checked like any other command's. */
  readonly payload: P;
}

const typeOf = ({ name }: TemplateDefinition | InterfaceDefinition): TypeReference =>
  referenceOf(`#${name.packageName}`, name);

/** Submits one command and waits, by the way of every other submission. */
function submitOne(
  participant: ParticipantApi,
  { userId, actAs, commandId, traceContext, disclosedContracts = [] }: Request,
  command: LedgerCommand,
  { encoded, waiting }: { readonly encoded: Json; readonly waiting: WaitOptions },
): Promise<Accepted> {
  const submission = participant.readSubmission(
    {
      actAs,
      commandId,
      ...(traceContext === undefined ? {} : { traceContext }),
      commands: [command],
      disclosedContracts: disclosedContracts.map(disclosed),
      bytes: Buffer.byteLength(JSON.stringify(encoded)),
    },
    userId,
  );
  return participant.submitAndWait(submission, waiting);
}

function firstEvent<K extends LedgerEvent['kind']>(
  participant: ParticipantApi,
  { updateId }: Accepted,
  kind: K,
): Extract<LedgerEvent, { readonly kind: K }> {
  const found = participant
    .eventsOf(updateId)
    .find((event): event is Extract<LedgerEvent, { readonly kind: K }> => event.kind === kind);
  if (found === undefined) throw new TypeError(`update ${updateId} has no event that is ${kind}`);
  return found;
}

/**
 * Exercises a choice and waits. Rights are the caller's business.
 *
 * @throws LedgerError what the participant refuses or rejects the submission with
 */
export async function exerciseAs<A, R>(
  participant: ParticipantApi,
  { target, contractId, choice, argument, ...request }: Exercise<A, R>,
  waiting: WaitOptions,
): Promise<{ readonly accepted: Accepted; readonly result: R }> {
  const encoded = toJson(choice.argument, argument);
  const command = {
    kind: 'exercise',
    templateId: typeOf(target),
    contractId,
    choice: choice.name,
    argument: jsonSource(encoded),
  } as const;
  const accepted = await submitOne(participant, request, command, { encoded, waiting });
  return { accepted, result: firstEvent(participant, accepted, 'exercised').result as R };
}

/**
 * Creates a contract and waits. Rights are the caller's business.
 *
 * @throws LedgerError what the participant refuses or rejects the submission with
 */
export async function createAs<P>(
  participant: ParticipantApi,
  { template, payload, ...request }: Create<P>,
  waiting: WaitOptions,
): Promise<{ readonly accepted: Accepted; readonly contract: Contract }> {
  const encoded = toJson(template.payload, payload);
  const command = {
    kind: 'create',
    templateId: typeOf(template),
    argument: jsonSource(encoded),
  } as const;
  const accepted = await submitOne(participant, request, command, { encoded, waiting });
  return { accepted, contract: firstEvent(participant, accepted, 'created').contract };
}
