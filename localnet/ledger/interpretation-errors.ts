import { templateText, typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { isCategory, LedgerError } from './ledger-error.ts';
import type { ErrorCode } from './ledger-error.ts';
import type { TypeName } from './lf-types.ts';
import { timestampText } from './lf-values.ts';

/* Errors of failed interpretations, with a participant's messages. */

/** The number of a Daml failure's category if the contract does not choose one. */
const FAILURE_CATEGORY = 9;

/** The length to which package and contract IDs in a trace are cut. */
export const SHOWN_ID_CHARS = 10;
const SHOWN_PACKAGE_CHARS = 8;
const TRACE_LINES_MAX = 10;

export const shortTypeText = (packageId: string, name: TypeName) =>
  typeText(packageId.slice(0, SHOWN_PACKAGE_CHARS), name);

/** Returns the trace of a failure: the running choices, innermost first, and the command that started them. */
export function traceText(choices: readonly string[], command: string): string {
  const shown = choices.toReversed().slice(0, TRACE_LINES_MAX);
  const cut = choices.length > TRACE_LINES_MAX ? ['...'] : [];
  return [...shown, ...cut, command].map((line) => `    ${line}\n`).join('');
}

export const deadlineFailure = (
  outcome: 'exceeded' | 'not-exceeded',
  relation: string,
  name: string,
  deadline: bigint,
) =>
  [
    `stdlib.daml.com/deadline-${outcome}`,
    `Ledger time is ${relation} deadline '${name}' at ${timestampText(deadline)}`,
    { deadline: timestampText(deadline) },
  ] as const;

/** The maximum length of an error's text that is kept. Answers over the network are cut to even fewer characters. */
const KEPT_CHARS_MAX = 4096;
const KEPT_ENTRIES_MAX = 256;

/** Returns the beginning of a long text as a copy, so that the long text can be freed. */
const bounded = (text: string): string =>
  text.length > KEPT_CHARS_MAX ? Buffer.from(text.slice(0, KEPT_CHARS_MAX)).toString() : text;

/** Returns an error of the interpreter that has a code of its own. */
export const interpreterRefusal = (code: ErrorCode, text: string) =>
  new LedgerError(code, `Interpretation error: Error: ${bounded(text)}`);

export const interpretationError = (text: string) =>
  interpreterRefusal('DAML_INTERPRETATION_ERROR', text);

/**
 * CONTRACT_NOT_FOUND has the same text for unknown, archived and invisible contracts, so that it does not reveal
 * whether a contract exists.
 */
export const notFound = (contractId: string) =>
  new LedgerError('CONTRACT_NOT_FOUND', `Contract could not be found with id ${contractId}`, {
    resources: [{ type: 'CONTRACT_ID', name: contractId }],
  });

export const wronglyTyped = (contractId: string, expected: string, actual: string) =>
  new LedgerError(
    'WRONGLY_TYPED_CONTRACT',
    `Interpretation error: Error: Update failed due to wrongly typed contract id ${contractId}\n  Expected contract of type ${expected} but got ${actual}`,
    {
      resources: [
        { type: 'CONTRACT_ID', name: contractId },
        { type: 'TEMPLATE_ID', name: expected },
        { type: 'TEMPLATE_ID', name: actual },
      ],
    },
  );

export const notActive = (contract: Contract) =>
  new LedgerError(
    'CONTRACT_NOT_ACTIVE',
    `Interpretation error: Error: Update failed due to fetch of an inactive contract ${contract.contractId} (${templateText(contract)}).`,
    {
      resources: [
        { type: 'TEMPLATE_ID', name: templateText(contract) },
        { type: 'CONTRACT_ID', name: contract.contractId },
      ],
    },
  );

const boundedEntries = (metadata: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(metadata)
      .slice(0, KEPT_ENTRIES_MAX)
      .map(([key, value]) => [bounded(key), bounded(value)] as const),
  );

export function damlFailure(
  trace: string,
  errorId: string,
  message: string,
  metadata: Readonly<Record<string, string>> = {},
  category: number = FAILURE_CATEGORY,
): LedgerError {
  return new LedgerError(
    'DAML_FAILURE',
    `Interpretation error: Error: User failure: ${bounded(errorId)} (error category ${category}): ${bounded(message)}`,
    {
      metadata: { ...boundedEntries(metadata), error_id: bounded(errorId), exercise_trace: trace },
      ...(isCategory(category) ? { category } : {}),
    },
  );
}
