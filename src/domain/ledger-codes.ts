import type { AnswerClass, Blame } from './answer.ts';
import type { CodeMeaning } from './ledger-code-table.ts';
import { LEDGER_CODES } from './ledger-code-table.ts';

/** Our ledger user lacks the right to act as one party, and has it for another party. The gateway makes this code. */
export const MAY_NOT_ACT_AS = 'MAY_NOT_ACT_AS';

/** Codes that Tenure makes, where the ledger gave none or was not called. */
const OURS: ReadonlyMap<string, Pick<CodeMeaning, 'class' | 'blames'>> = new Map([
  ['NO_ERROR_INFO:UNAUTHENTICATED', { class: 'credentials', blames: 'participant' }],
  ['NO_ERROR_INFO:PERMISSION_DENIED', { class: 'credentials', blames: 'participant' }],
  [MAY_NOT_ACT_AS, { class: 'credentials', blames: 'party' }],
  ['TOKEN_REFUSED', { class: 'credentials', blames: 'participant' }],
  ['ALLOCATION_NOT_FOUND', { class: 'contention', blames: 'contracts' }],
  ['REGISTRY_REFUSED', { class: 'refused', blames: 'network' }],
  ['LICENSE_ENDED', { class: 'refused', blames: 'contracts' }],
]);

/**
 * The ledger codes that the code treats individually, beyond their class, by meaning. All other code in `src` uses
 * these names.
 */
export const CODES = {
  duplicate: 'DUPLICATE_COMMAND',
  inFlight: 'SUBMISSION_ALREADY_IN_FLIGHT',
  /** The ledger's deduplication history is shorter than the period of the command. */
  deduplicationExceeded: 'INVALID_DEDUPLICATION_PERIOD',
  contractGone: 'CONTRACT_NOT_FOUND',
  /** The package does not know the choice, or the argument is not of its type. */
  notOfItsType: 'COMMAND_PREPROCESSING_FAILED',
  /** The participant's own clock gave the submission a ledger time too far ahead of its record time. */
  timeOutOfBound: 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  noSuchUpdate: 'UPDATE_NOT_FOUND',
  pruned: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
  /** One code for every immediate refusal of a sequencer. */
  sequencerRefused: 'SEQUENCER_REQUEST_FAILED',
} as const;

/** A participant returns one of these where it does not know a template or an interface. */
export const TYPES_NOT_KNOWN: ReadonlySet<string> = new Set([
  'PACKAGE_NAMES_NOT_FOUND',
  'PACKAGE_NOT_FOUND',
  'TEMPLATES_OR_INTERFACES_NOT_FOUND',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
]);

/** A participant returns one of these where our ledger user lacks a right, is unknown or is deactivated. */
export const LACKS_RIGHT: ReadonlySet<string> = new Set([
  'PERMISSION_DENIED',
  'NO_ERROR_INFO:PERMISSION_DENIED',
  'USER_NOT_FOUND',
]);

/** These causes fail with every other contract too. */
const OF_EVERYTHING: ReadonlySet<Blame> = new Set(['party', 'participant', 'network']);

/** The meaning of a ledger code; `undefined` where it is not in the table. */
export const meaningOf = (code: string): CodeMeaning | undefined => LEDGER_CODES.get(code);

/** The cause that a code names; `undefined` for a code that neither the ledger's table nor ours has. */
export const blamedBy = (code: string): Blame | undefined =>
  (LEDGER_CODES.get(code) ?? OURS.get(code))?.blames;

const VERDICTS =
  /^(?:(?:LOCAL_VERDICT|MEDIATOR)_\w+|CANNOT_PERFORM_ALL_VALIDATIONS|DUPLICATE_CONFIRMATION_REQUEST_UUID)$/u;

/**
 * Whether a code occurs only for a sequenced request: a confirming participant or the mediator has judged it.
 */
export const isVerdict = (code: string): boolean => VERDICTS.test(code);

/** Whether a code says nothing about the contract of the command: any other contract would have got it too. */
export function isOfEverything(code: string): boolean {
  const blames = blamedBy(code);
  return blames !== undefined && OF_EVERYTHING.has(blames);
}

/** The class of a code; an unknown code is undecided. */
export const classOf = (code: string): AnswerClass =>
  (LEDGER_CODES.get(code) ?? OURS.get(code))?.class ?? 'unknown';

/** All known codes of these classes; class `unknown` also covers every code that is not listed. */
export const codesOf = (classes: ReadonlySet<AnswerClass>): string[] =>
  [...LEDGER_CODES, ...OURS].flatMap(([code, row]) => (classes.has(row.class) ? [code] : []));
