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
 * Gives the HTTP interfaces of a validator access to its participant. They read a party's contracts and submit commands
 * as the party, like any other client, but without a network connection.
 */

/** An active contract with its value in one of its types. */
export interface HeldContract<V> {
  readonly contract: Contract;
  /** The contract's payload, or its view if the type is an interface. */
  readonly value: V;
  /** `value` in the ledger's JSON encoding. */
  readonly json: Json;
}

type Target<V> = TemplateDefinition<V> | InterfaceDefinition<V>;

/** Returns a template's implementation of an interface. */
const implementationOf = (template: TemplateDefinition, of: Target<unknown>) =>
  template.implements.find(({ iface }) => sameType(iface.name, of.name));

const isA = (template: TemplateDefinition, of: Target<unknown>): boolean =>
  of.kind === 'template'
    ? sameType(template.name, of.name)
    : implementationOf(template, of) !== undefined;

/** Returns the contract in the type `of`, or `undefined` if the contract does not have this type. */
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

/** Returns the active contracts of a type that have `party` as a stakeholder, in order of creation. */
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

/** Returns one contract; `undefined` if it is inactive, not visible to the party, or of another type. */
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

/**
 * Returns a contract in the format of validators and of the network's scan. `payload` is the JSON of its own payload or
 * of a view.
 */
export const contractJson = (contract: Contract, payload?: Json) => ({
  template_id: templateIdOf(contract),
  contract_id: contract.contractId,
  payload: payload ?? toJson(contract.template.payload, contract.payload),
  created_event_blob: blobOf(contract),
  created_at: timestampText(contract.createdAt),
});

/** Returns a contract in the format in which registries disclose contracts and the JSON Ledger API accepts them. */
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

/** The submitter and the ID of a command. Deduplication uses the command ID. */
interface Request extends Pick<RawSubmission, 'traceContext'> {
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly commandId: string;
  /** Contracts that the command uses although the parties do not see them. */
  readonly disclosedContracts?: readonly Contract[];
}

/** A choice that a party exercises. */
export interface Exercise<A, R> extends Request {
  readonly target: TemplateDefinition | InterfaceDefinition;
  readonly contractId: string;
  readonly choice: ChoiceType<A, R>;
  /** The argument is checked as in any other command, because its texts may come from a client. */
  readonly argument: A;
}

/** A contract that a party creates. */
export interface Create<P> extends Request {
  readonly template: TemplateDefinition<P>;
  /** The payload is checked as in any other command. */
  readonly payload: P;
}

const typeOf = ({ name }: TemplateDefinition | InterfaceDefinition): TypeReference =>
  referenceOf(`#${name.packageName}`, name);

/** Submits one command and waits for its completion, in the same way as every other submission. */
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
 * Exercises a choice and waits for the completion. The caller must have checked the rights.
 *
 * @throws LedgerError the participant's refusal or rejection
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
 * Creates a contract and waits for the completion. The caller must have checked the rights.
 *
 * @throws LedgerError the participant's refusal or rejection
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
