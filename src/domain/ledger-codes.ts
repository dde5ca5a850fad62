import type { AnswerClass, Blame } from './answer.ts';
import type { CodeMeaning } from './ledger-code-table.ts';
import { LEDGER_CODES } from './ledger-code-table.ts';

/** The gateway's code if our ledger user may not act as the requested party, but may act as another party. */
export const MAY_NOT_ACT_AS = 'MAY_NOT_ACT_AS';

/**
 * The code of a completion whose real code the participant redacts. Its gRPC status shows the category: a participant
 * is broken or malicious.
 */
export const REDACTED_ALARM = 'REDACTED_VERDICT:INVALID_ARGUMENT';

/** Codes that Tenure produces, if the ledger gave no code or was not called. */
const OURS: ReadonlyMap<string, Pick<CodeMeaning, 'class' | 'blames'>> = new Map([
  ['NO_ERROR_INFO:UNAUTHENTICATED', { class: 'credentials', blames: 'participant' }],
  ['NO_ERROR_INFO:PERMISSION_DENIED', { class: 'credentials', blames: 'participant' }],
  [REDACTED_ALARM, { class: 'refused', blames: 'command' }],
  [MAY_NOT_ACT_AS, { class: 'credentials', blames: 'party' }],
  ['TOKEN_REFUSED', { class: 'credentials', blames: 'participant' }],
  ['ALLOCATION_NOT_FOUND', { class: 'contention', blames: 'contracts' }],
  ['REGISTRY_REFUSED', { class: 'refused', blames: 'network' }],
  ['LICENSE_ENDED', { class: 'refused', blames: 'contracts' }],
]);

/** The ledger codes that are handled individually, not only by class. All other code in `src` uses these names. */
export const CODES = {
  duplicate: 'DUPLICATE_COMMAND',
  inFlight: 'SUBMISSION_ALREADY_IN_FLIGHT',
  /** The ledger's deduplication history is shorter than the command's deduplication period. */
  deduplicationExceeded: 'INVALID_DEDUPLICATION_PERIOD',
  contractGone: 'CONTRACT_NOT_FOUND',
  /** The package does not have the choice, or the argument does not have the choice's type. */
  notOfItsType: 'COMMAND_PREPROCESSING_FAILED',
  /** The participant's own clock assigned the submission a ledger time that is too far ahead of its record time. */
  timeOutOfBound: 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  noSuchUpdate: 'UPDATE_NOT_FOUND',
  pruned: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
  /** The code of every immediate refusal by a sequencer. */
  sequencerRefused: 'SEQUENCER_REQUEST_FAILED',
} as const;

/** A participant returns one of these codes if it does not know a template or an interface. */
export const TYPES_NOT_KNOWN: ReadonlySet<string> = new Set([
  'PACKAGE_NAMES_NOT_FOUND',
  'PACKAGE_NOT_FOUND',
  'TEMPLATES_OR_INTERFACES_NOT_FOUND',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
]);

/** A participant returns one of these codes if our ledger user lacks a right, is unknown or is deactivated. */
export const LACKS_RIGHT: ReadonlySet<string> = new Set([
  'PERMISSION_DENIED',
  'NO_ERROR_INFO:PERMISSION_DENIED',
  'USER_NOT_FOUND',
]);

/** Causes that do not depend on the contract: a command on any other contract would fail as well. */
const OF_EVERYTHING: ReadonlySet<Blame> = new Set(['party', 'participant', 'network']);

/** Returns the meaning of a ledger code; `undefined` if the table does not have it. */
export const meaningOf = (code: string): CodeMeaning | undefined => LEDGER_CODES.get(code);

/** Returns the cause of a code; `undefined` if the code is in neither the ledger's table nor ours. */
export const blamedBy = (code: string): Blame | undefined =>
  (LEDGER_CODES.get(code) ?? OURS.get(code))?.blames;

const VERDICTS =
  /^(?:(?:LOCAL_VERDICT|MEDIATOR)_\w+|CANNOT_PERFORM_ALL_VALIDATIONS|DUPLICATE_CONFIRMATION_REQUEST_UUID)$/u;

/** Returns whether a code occurs only for a sequenced request, which a participant or the mediator has judged. */
export const isVerdict = (code: string): boolean => VERDICTS.test(code);

/** Returns whether a code is independent of the command's contract: any other contract would get it as well. */
export function isOfEverything(code: string): boolean {
  const blames = blamedBy(code);
  return blames !== undefined && OF_EVERYTHING.has(blames);
}

/** Returns the class of a code; `unknown` for a code that is not in the tables. */
export const classOf = (code: string): AnswerClass =>
  (LEDGER_CODES.get(code) ?? OURS.get(code))?.class ?? 'unknown';

/** Returns all known codes of these classes. The class `unknown` also includes every code that is not in the tables. */
export const codesOf = (classes: ReadonlySet<AnswerClass>): string[] =>
  [...LEDGER_CODES, ...OURS].flatMap(([code, row]) => (classes.has(row.class) ? [code] : []));
