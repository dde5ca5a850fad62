import { createHash } from 'node:crypto';
import type { AnswerClass } from '../../domain/answer.ts';
import type { Change, ChangeState } from '../../domain/change.ts';
import { classOf } from '../../domain/ledger-codes.ts';
import type { ProblemCode, ProblemDetails } from '../../domain/problems.ts';
import { textAt } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';

/** A kind of failure. Changes that fail in the same way have the same fingerprint. */
export interface Failure {
  readonly fingerprint: string;
  readonly operation: string;
  readonly state: ChangeState;
  readonly code: ProblemCode;
  readonly ledgerCode: string | null;
  /** The class of the ledger's code; `null` if the ledger has not refused the change. */
  readonly class: AnswerClass | null;
  /** The explanation, without IDs, times and numbers. */
  readonly explanation: string;
}

/** Messages with these codes contain a person's text, so each message is different. */
const IN_A_PERSONS_WORDS: ReadonlySet<ProblemCode> = new Set(['DECIDED_NO_EFFECT', 'CANCELLED']);

/**
 * An operation that is rejected with one of these codes found its lifecycle ended or changed by another operation. The
 * caller receives the reason and no person has to act, so the failure group is ignored, never open.
 */
export const EXPECTED_CONFLICTS: readonly ProblemCode[] = [
  'LIFECYCLE_ENDED',
  'STEP_NOT_ALLOWED',
  'CONTRACT_GONE',
  'POLICY_OUTDATED',
];

const FINGERPRINT_CHARS = 16;

/**
 * Patterns of details in which failures of the same kind differ, each with its replacement. The ledger adds the
 * beginning of its trace after each code, and shortens identifiers. The database migration that renamed failures
 * contains the same patterns.
 */
const PARTICULARS: readonly (readonly [RegExp, string])[] = [
  [/[A-Za-z0-9_-]+::[0-9a-zA-Z]+/gu, '<party>'],
  [/\d{4}-\d\d-\d\dT[0-9:.]+Z/gu, '<time>'],
  [/([A-Z][A-Z_]+)\([0-9]+,[0-9a-f]+\)/gu, '$1(<n>,<trace>)'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}/gu, '<id>'],
  [/(?<![0-9A-Za-z_])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,15}(?![0-9A-Za-z_])/gu, '<id>'],
  [/\d+/gu, '<n>'],
];

const withoutParticulars = (text: string): string =>
  // Counts characters as the database does, not UTF-16 code units.
  Array.from(PARTICULARS.reduce((said, [pattern, word]) => said.replace(pattern, word), text))
    .slice(0, LIMITS.explanationCharsMax)
    .join('');

/**
 * Returns the explanation of a failure. The ledger's own text is more precise than the explanation of its code: it
 * names the rule of the contract that was violated.
 */
function explanationOf({ code, message, extra }: ProblemDetails): string {
  if (IN_A_PERSONS_WORDS.has(code)) return '';
  return withoutParticulars(textAt(extra ?? {}, 'ledgerText') ?? message);
}

/** Returns the kind of failure of a change, or `null` if the change succeeded, is open, or ended without an error. */
export function failureOf({
  operation,
  state,
  error,
  finishedAt,
}: Pick<Change, 'operation' | 'state' | 'error' | 'finishedAt'>): Failure | null {
  if (finishedAt === null || error === null) return null;
  const { code, ledgerCode = null } = error;
  const explanation = explanationOf(error);
  const fingerprint = createHash('sha256')
    .update([operation, state, code, ledgerCode ?? '', explanation].join('\n'))
    .digest('hex')
    .slice(0, FINGERPRINT_CHARS);
  const kind = ledgerCode === null ? null : classOf(ledgerCode);
  return { fingerprint, operation, state, code, ledgerCode, class: kind, explanation };
}
