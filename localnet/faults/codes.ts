import type { FaultCall, FaultTarget } from '../faults.ts';
import { ERROR_CATEGORIES, LedgerError } from '../ledger/ledger-error.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import type { Rejection } from '../ledger/update.ts';
import { CALL_CODES } from './call-codes.ts';
import type { CodeRules, Site, Stage } from './code-rule.ts';
import { COMPLETION_CODES } from './completion-codes.ts';

/**
 * Codes that a fault may use, with the stages at which a participant returns them and the participant's text. Codes are
 * excluded if a client might conclude something false about the ledger's past from them: an offset after the end,
 * pruned data, an unknown update. For the same reason, `DUPLICATE_COMMAND` says `accepted=false`; `accepted=true` is
 * only returned for a request that really arrives twice.
 */
const CODE_RULES: CodeRules = { ...CALL_CODES, ...COMPLETION_CODES };

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CATEGORIES, text);

/** Returns the stages at which a code can be returned; `undefined` if the text is not a code that faults may use. */
export const stagesOf = (code: string): readonly Stage[] | undefined =>
  isCode(code) ? CODE_RULES[code]?.stages : undefined;

/** Returns the codes for some stages, in the order of the error model. */
export const codesAt = (...stages: readonly Stage[]): readonly ErrorCode[] =>
  Object.keys(ERROR_CATEGORIES)
    .filter(isCode)
    .filter((code) => CODE_RULES[code]?.stages.some((stage) => stages.includes(stage)));

/**
 * Returns whether a submission can be rejected with this code. A code that names contracts needs a submission with
 * contracts.
 */
export const canReject = (code: ErrorCode, { contractIds = [] }: FaultTarget): boolean =>
  CODE_RULES[code]?.isAboutContracts !== true || contractIds.length > 0;

const READS = /\.(Update|State|EventQuery|Contract|CommandCompletion)Service\//;

/** Returns whether this call, or its answer, can be refused with this code. */
export function canAnswer(code: ErrorCode, call: FaultCall): boolean {
  const rule = CODE_RULES[code];
  if (rule === undefined || !canReject(code, call)) return false;
  if (rule.isAboutWaiting === true && !call.path.includes('/SubmitAndWait')) return false;
  const { stages } = rule;
  if (stages.includes('call') || stages.includes('answer')) return true;
  return call.commandId === undefined
    ? stages.includes('read') && READS.test(call.path)
    : stages.includes('submission');
}

/**
 * Returns whether a completion with this code is sequenced by the synchronizer. If it is not, record time does not
 * advance.
 */
export const isSequenced = (code: ErrorCode): boolean => CODE_RULES[code]?.isUnsequenced !== true;

/** Returns the error as the participant would create it for this call or submission. */
export function rejectionOf(code: ErrorCode, site: Site): Rejection {
  const rule = CODE_RULES[code];
  if (rule === undefined) throw new TypeError(`${code} cannot be asked for`);
  return {
    code,
    text: rule.text,
    metadata: rule.metadata?.(site) ?? {},
    resources: rule.resources?.(site) ?? [],
    definiteAnswer: rule.definiteAnswer ?? false,
  };
}

export function errorOf(code: ErrorCode, site: Site): LedgerError {
  const { text, metadata, resources, definiteAnswer } = rejectionOf(code, site);
  return new LedgerError(code, text, { metadata, resources, definiteAnswer });
}
