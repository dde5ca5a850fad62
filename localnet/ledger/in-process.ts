import { typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { sameType } from './contract.ts';
import { encodeBlob } from './created-event-blob.ts';
import { jsonSource, toJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import { timestampText } from './lf-values.ts';
import type { ChoiceType, InterfaceDefinition, TemplateDefinition } from './package-definition.ts';
import type { Accepted, ParticipantApi, WaitOptions } from './participant.ts';
import type { DisclosedContract, RawSubmission, TypeReference } from './submission.ts';
import type { ExercisedEvent } from './update.ts';

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

/** What a contract is as `of`; `undefined` when it is not of that type. */
function heldAs<V>(contract: Contract, of: Target<V>): HeldContract<V> | undefined {
  const { template, payload } = contract;
  if (of.kind === 'template') {
    if (!isA(template, of)) return undefined;
    return { contract, value: payload as V, json: toJson(template.payload, payload) };
  }
  const found = implementationOf(template, of);
  if (found === undefined) return undefined;
  const value = found.view(payload) as V;
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

/** One of them; `undefined` when it is not active, not the party's to see, or of another type. */
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

/** A choice that a party exercises. The command ID is what deduplication knows it by. */
export interface Exercise<A, R> extends Pick<RawSubmission, 'traceContext'> {
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly commandId: string;
  readonly target: TemplateDefinition | InterfaceDefinition;
  readonly contractId: string;
  readonly choice: ChoiceType<A, R>;
  /** Checked like any other command's: texts in it may come from a caller. */
  readonly argument: A;
  /** Contracts that the choice uses and the party does not see. */
  readonly disclosedContracts?: readonly Contract[];
}

/**
 * Submits and waits, by the way of every other submission. Rights are the caller's business.
 *
 * @throws LedgerError what the participant refuses or rejects the submission with
 */
export async function exerciseAs<A, R>(
  participant: ParticipantApi,
  { target, contractId, choice, argument, disclosedContracts = [], ...request }: Exercise<A, R>,
  waiting: WaitOptions,
): Promise<{ readonly accepted: Accepted; readonly result: R }> {
  const templateId: TypeReference = referenceOf(`#${target.name.packageName}`, target.name);
  const encoded = toJson(choice.argument, argument);
  const { userId, traceContext, ...fields } = request;
  const submission = participant.readSubmission(
    {
      ...fields,
      ...(traceContext === undefined ? {} : { traceContext }),
      commands: [
        {
          kind: 'exercise',
          templateId,
          contractId,
          choice: choice.name,
          argument: jsonSource(encoded),
        },
      ],
      disclosedContracts: disclosedContracts.map(disclosed),
      bytes: Buffer.byteLength(JSON.stringify(encoded)),
    },
    userId,
  );
  const accepted = await participant.submitAndWait(submission, waiting);
  const exercised = participant
    .eventsOf(accepted.updateId)
    .find((event): event is ExercisedEvent => event.kind === 'exercised');
  if (exercised === undefined) throw new TypeError(`update ${accepted.updateId} has no exercise`);
  return { accepted, result: exercised.result as R };
}
