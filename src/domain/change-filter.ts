import type { AnswerClass } from './answer.ts';
import { ANSWER_CLASSES } from './answer.ts';
import type { OriginName } from './automatic.ts';
import { ORIGIN_NAMES } from './automatic.ts';
import type { ChangeState, Operation } from './change.ts';
import { CHANGE_STATES } from './change.ts';
import type { CommandId, ContractId, LifecycleId, Party } from './ids.ts';
import { isContractId, isLedgerString, isPartyString, trusted } from './ids.ts';
import { OPERATIONS } from './licensing.ts';

/** Selects changes. A change matches if it meets all given conditions. */
export interface ChangeFilter {
  readonly states?: readonly ChangeState[];
  /** The class of the ledger answer with which a change ended; for an open change, the class of its latest answer. */
  readonly classes?: readonly AnswerClass[];
  /** An error code of Tenure or of the ledger, from the same answer as in `classes`. */
  readonly code?: string;
  /** The party that is provider or user of the changes, whether the provider or a user made the request. */
  readonly party?: Party;
  /** The user of the changes, and the provider of the changes. */
  readonly user?: Party;
  readonly provider?: Party;
  /** The lifecycle's ID, or any current or former contract ID of the lifecycle. */
  readonly lifecycle?: LifecycleId | ContractId;
  /** The contract that an attempt of the change named; without an attempt, the current contract of its lifecycle. */
  readonly contractId?: ContractId;
  readonly command?: { readonly id: CommandId } | { readonly prefix: string };
  /** Accepted before the first instant, and at or after the second. ISO 8601. */
  readonly before?: string;
  readonly from?: string;
  /** The subject that made the request; all policies have the subject `POLICY_SUBJECT`. */
  readonly by?: string;
  /** Requests of this policy, and retries of such requests by persons. */
  readonly policy?: OriginName;
  readonly operations?: readonly Operation[];
  /** The fingerprint of the failure with which the changes ended. */
  readonly failure?: string;
}

/** Members of every kind of field. */
interface FieldBase {
  /** The name of the field in the API. */
  readonly name: string;
  /** Description in the OpenAPI document. */
  readonly description: string;
  /** Description in the command line's help. */
  readonly about: string;
  /** Placeholder for the value in the command line's help. */
  readonly value: string;
}

/**
 * One member of the filter. The API's schema and parser and the flag of the command line are derived from it. The store
 * has a separate table of conditions with the same keys.
 *
 * - `several`: any of the listed values. `one`: exactly one of them.
 * - `text`: parsed by `read`, which returns `null` if the text is not a valid `what`.
 * - `age`: an instant, or how long ago.
 */
export type FilterField =
  | (FieldBase & {
      readonly kind: 'several' | 'one';
      readonly values: readonly string[];
      /** Whether the command line's help omits the list of values. */
      readonly isUnlisted?: true;
    })
  | (FieldBase & { readonly kind: 'age'; readonly example: string })
  | (FieldBase & {
      readonly kind: 'text';
      readonly example: string;
      readonly read: (given: string) => unknown;
      readonly what?: string;
    });

const CODE = /^[A-Z][A-Z0-9_]*(?::[A-Z0-9_]+)?$/u;
const FINGERPRINT = /^[0-9a-f]{16}$/u;

export const isFingerprint = (given: string): boolean => FINGERPRINT.test(given);

const orNull =
  (isOne: (given: string) => boolean) =>
  (given: string): string | null =>
    isOne(given) ? given : null;

/** Parses an error code of Tenure or of the ledger. */
export const readErrorCode = orNull((given) => CODE.test(given));

function readCommand(given: string): ChangeFilter['command'] | null {
  const isPrefix = given.endsWith('*');
  const id = isPrefix ? given.slice(0, -1) : given;
  if (!isLedgerString(id)) return null;
  return isPrefix ? { prefix: id } : { id: trusted(id) };
}

const PARTY = {
  kind: 'text',
  read: orNull(isPartyString),
  what: 'a whole party, such as hint::fingerprint',
  example: 'app_user_quickstart-root-1::1220aa01',
  value: 'party',
} as const;

/** All members of the filter, in display order. */
export const CHANGE_FILTER: Readonly<Record<keyof Required<ChangeFilter>, FilterField>> = {
  states: {
    name: 'state',
    kind: 'several',
    values: CHANGE_STATES,
    description: 'Any of these',
    about: 'any of these',
    value: 'state',
  },
  classes: {
    name: 'class',
    kind: 'several',
    values: ANSWER_CLASSES,
    isUnlisted: true,
    description: 'The meaning of the ledger’s answer: any of these',
    about: 'what the ledger’s answer means: any of these',
    value: 'class',
  },
  code: {
    name: 'code',
    kind: 'text',
    read: readErrorCode,
    what: 'an error code',
    description: 'The problem’s `code` or the ledger’s `ledgerCode`',
    example: 'CONTRACT_NOT_FOUND',
    about: 'of the problem, or of the ledger',
    value: 'code',
  },
  party: {
    name: 'party',
    ...PARTY,
    description: 'The party that the operations concern, as user or as provider',
    about: 'the party that the operations concern',
  },
  user: {
    name: 'user',
    ...PARTY,
    description: 'Only those about this user',
    about: 'about this user',
  },
  provider: {
    name: 'provider',
    ...PARTY,
    description: 'Only those about this provider',
    about: 'about this provider',
  },
  lifecycle: {
    name: 'lifecycleId',
    kind: 'text',
    read: (given) => given,
    description: 'The lifecycle of the operations: its ID or any of its contract IDs',
    example: 'license-a1b2c3d4e5f60718293a',
    about: 'of this lifecycle: its ID or any contract ID it had',
    value: 'id',
  },
  contractId: {
    name: 'contractId',
    kind: 'text',
    read: orNull(isContractId),
    what: 'a contract ID',
    description:
      'An attempt that is kept named this contract or, before the first attempt, it is the one of its lifecycle now; `lifecycleId` finds all',
    example: '00a1b2c3',
    about: 'an attempt named it, or the first one will; --lifecycle-id finds all of its lifecycle',
    value: 'id',
  },
  command: {
    name: 'commandId',
    kind: 'text',
    read: readCommand,
    what: 'a command ID, or the beginning of one and then *',
    description: 'This one; with `*` at the end, all that begin so',
    example: 'tenure:expire:*',
    about: 'this one; with * at the end, all that begin so',
    value: 'id',
  },
  before: {
    name: 'until',
    kind: 'age',
    description: 'Accepted longer ago (ISO 8601 duration) or before (instant)',
    example: 'PT1H',
    about: 'accepted longer ago, or before an instant',
    value: 'age',
  },
  from: {
    name: 'since',
    kind: 'age',
    description: 'Accepted not longer ago (ISO 8601 duration), or at or after (instant)',
    example: 'P1D',
    about: 'accepted not longer ago, or since an instant',
    value: 'age',
  },
  by: {
    name: 'subject',
    kind: 'text',
    read: (given) => given,
    description: 'The identity that asked; `tenure`: a policy, whichever',
    example: 'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11',
    about: 'the identity that asked',
    value: 'subject',
  },
  policy: {
    name: 'policy',
    kind: 'one',
    values: ORIGIN_NAMES,
    description: 'Operations that this policy requested, and their retries by people',
    about: 'this policy asked for it',
    value: 'name',
  },
  operations: {
    name: 'operation',
    kind: 'several',
    values: OPERATIONS,
    description: 'Any of these',
    about: 'any of these',
    value: 'operation',
  },
  failure: {
    name: 'failure',
    kind: 'text',
    read: orNull(isFingerprint),
    what: 'a fingerprint',
    description: 'The fingerprint of a failure',
    example: '9f86d081884c7d65',
    about: 'with this failure: see ops failures',
    value: 'fingerprint',
  },
};
