/* Identifiers. Each kind has its own type, and only its `parse…` function in this file converts a string to it. */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** An identity on the ledger, `hint::fingerprint`. */
export type Party = Branded<'Party'>;
/** A contract on the ledger, in lower-case hex. A contract that replaces another has a new ID. */
export type ContractId = Branded<'ContractId'>;
/** The caller's name for a change. The ledger uses it to detect duplicates. */
export type CommandId = Branded<'CommandId'>;
/** One submission of a change's command to the ledger. Never reused. */
export type SubmissionId = Branded<'SubmissionId'>;
/** A transaction on the ledger. Its ID is the same on every participant that sees it. */
export type UpdateId = Branded<'UpdateId'>;
/** The identity of one install request, install, licence or renewal, from its beginning to its end. */
export type LifecycleId = Branded<'LifecycleId'>;
/** A sequence of changes that run one after another: see `app/engine/lanes/lane.ts`. */
export type LaneId = Branded<'LaneId'>;
/** One request of a caller or a policy. */
export type ChangeId = Branded<'ChangeId'>;
/** One job that the relay puts on the queue. */
export type EffectId = Branded<'EffectId'>;
/** A participant's name in Tenure's configuration, such as `app-provider` or `app-user`; not its ID on the ledger. */
export type ParticipantName = Branded<'ParticipantName'>;

/** The form of ledger strings: command, submission and workflow IDs. Source: Ledger API `value.proto`, LedgerString. */
const LEDGER_STRING = /^[A-Za-z0-9#:\-_/ ]{1,255}$/;
const CONTRACT_ID = /^00[0-9a-f]{64,}$/;
const PARTY = /^[A-Za-z0-9:\-_ ]{1,255}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Prefix of the command IDs that Tenure generates; callers may not use it. */
export const OWN_COMMAND_PREFIX = 'tenure:';

/**
 * Returns the workflow ID of a change's submissions. Every reader of the update sees it, including readers that do not
 * see the command ID.
 */
export const workflowIdOf = (change: ChangeId): string => `tenure-${change}`;

const WORKFLOW_ID = /^tenure-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Returns the change that an update's workflow ID names, or `null`. The workflow ID proves nothing: any submitter can
 * write any workflow ID.
 */
export const changeOfWorkflow = (workflowId: string): ChangeId | null =>
  (WORKFLOW_ID.exec(workflowId)?.[1] as ChangeId | undefined) ?? null;

/** Returns whether a text has the form in which the store writes UUIDs. */
export const isUuid = (raw: string): boolean => UUID.test(raw);

export const isLedgerString = (raw: string): boolean => LEDGER_STRING.test(raw);
export const isContractId = (raw: string): raw is ContractId => CONTRACT_ID.test(raw);
export const isParty = (raw: string): raw is Party => PARTY.test(raw) && raw.includes('::');

/** Returns whether a ledger accepts the text as a party. `isParty` also requires the form of Canton's parties. */
export const isPartyString = (raw: string): raw is Party => PARTY.test(raw) && raw.trim() !== '';

/** @throws TypeError if the text is not a valid ledger string */
export function parseCommandId(raw: string): CommandId {
  if (!isLedgerString(raw)) throw new TypeError(`not a command id: ${raw.slice(0, 80)}`);
  return raw as CommandId;
}

/** @throws TypeError if the text does not have the form `hint::fingerprint` */
export function parseParty(raw: string): Party {
  if (!isParty(raw)) throw new TypeError(`not a party: ${raw.slice(0, 80)}`);
  return raw;
}

/** Converts text from a trusted source (our own rows, the ledger's stream) to an identifier without checking it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- naming the type is its purpose
export const trusted = <T extends string>(raw: string): T => raw as T;
