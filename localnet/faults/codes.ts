import type { FaultCall, FaultTarget } from '../faults.ts';
import { changeIdOf } from '../ledger/deduplication.ts';
import { ERROR_CATEGORIES, LedgerError } from '../ledger/ledger-error.ts';
import type { ErrorCode, ErrorResource } from '../ledger/ledger-error.ts';
import { changeKey } from '../ledger/update.ts';
import type { Rejection } from '../ledger/update.ts';

/**
 * Where a participant gives an error:
 *
 * - `call`: any call, at once, before anything has happened
 * - `submission`: Submit and SubmitAndWait…, at once; nothing was registered and there is no completion
 * - `completion`: what a submission that was taken ends with
 * - `stream`: what an open stream ends with
 * - `answer`: a unary call whose effect may be there, instead of its answer
 * - `read`: calls that ask for something
 */
export type Stage = 'call' | 'submission' | 'completion' | 'stream' | 'answer' | 'read';

/** What is known where a fault strikes. */
type Site = FaultTarget & { readonly deduplicationOffset?: bigint };

interface CodeRule {
  readonly stages: readonly Stage[];
  readonly text: string;
  readonly metadata?: (site: Site) => Readonly<Record<string, string>>;
  readonly resources?: (site: Site) => readonly ErrorResource[];
  readonly definiteAnswer?: true;
  /** It names contracts: only submissions that exercise something can be told so. */
  readonly isAboutContracts?: true;
  /** Only callers that wait for the completion can be told so. */
  readonly isAboutWaiting?: true;
}

const contracts = ({ contractIds = [] }: Site): ErrorResource[] =>
  contractIds.map((name) => ({ type: 'CONTRACT_ID', name }));
const parties = ({ parties: names = [] }: Site): ErrorResource[] => [
  { type: 'PARTIES', name: names.join(',') },
];
const aboutContracts = { resources: contracts, isAboutContracts: true } as const;
const changeIdOfSite = ({ userId = '', commandId = '', parties: actAs = [] }: Site): string =>
  changeIdOf(changeKey({ userId, commandId, actAs }));

const at = (stages: readonly Stage[], text: string, more: Partial<CodeRule> = {}): CodeRule => ({
  stages,
  text,
  ...more,
});

/**
 * Codes that can be asked for, with where a participant gives them and what it then says. Those that a client may take
 * for the truth about the ledger's past are not among them: an offset after the end, pruned data, an update that is not
 * there. For the same reason `DUPLICATE_COMMAND` says `accepted=false`: a request that arrives twice makes the other one.
 */
const CODE_RULES: Partial<Readonly<Record<ErrorCode, CodeRule>>> = {
  // The server, whatever it was asked.
  SERVICE_NOT_RUNNING: at(['call', 'stream'], 'The service is not running or is shutting down'),
  ABORTED_DUE_TO_SHUTDOWN: at(
    ['call', 'stream'],
    'Request aborted due to shutdown. Please re-submit',
  ),
  NODE_IS_PASSIVE_REPLICA: at(
    ['call', 'stream'],
    'Cannot process submitted command. This participant is the passive replica.',
  ),
  SERVER_OVERLOADED: at(['call'], 'The server is overloaded'),
  PARTICIPANT_OVERLOADED: at(
    ['call', 'completion'],
    'The participant is overloaded and the command has been rejected',
  ),
  HEAP_MEMORY_OVER_LIMIT: at(['call'], 'The used heap memory exceeds the maximum'),
  THREADPOOL_OVERLOADED: at(['call'], 'The thread pool is overloaded: too many queued tasks'),
  MAXIMUM_NUMBER_OF_STREAMS: at(['call'], 'The number of streams has reached the maximum'),
  UNAUTHENTICATED: at(['call'], 'as a fault says'),
  PERMISSION_DENIED: at(['call'], 'as a fault says'),
  LEDGER_API_INTERNAL_ERROR: at(['call', 'answer'], 'as a fault says'),
  REQUEST_DEADLINE_EXCEEDED: at(
    ['call', 'answer'],
    'The request exceeded its deadline; its outcome is unknown',
  ),
  REQUEST_TIME_OUT: at(
    ['submission', 'answer'],
    'Timed out while awaiting for a completion corresponding to a command submission',
    { isAboutWaiting: true },
  ),
  // Streams.
  ACCESS_TOKEN_EXPIRED: at(['stream'], 'Claims were valid until their token expired'),
  STALE_STREAM_AUTHORIZATION: at(['stream'], 'Stale stream authorization. Retry quickly.'),
  // Submissions, before they are registered.
  CONTRACT_NOT_FOUND: at(
    ['submission'],
    'Contract could not be found with the given id',
    aboutContracts,
  ),
  CONTRACT_NOT_ACTIVE: at(['submission'], 'The contract has been consumed', aboutContracts),
  UNKNOWN_CONTRACT_SYNCHRONIZERS: at(
    ['submission'],
    'The synchronizers of some contracts are unknown: they may have been archived',
    aboutContracts,
  ),
  SUBMISSION_ALREADY_IN_FLIGHT: at(['submission'], 'The submission is already in flight', {
    metadata: (site) => ({
      changeId: changeIdOfSite(site),
      existingSubmissionId: site.submissionId ?? '',
    }),
  }),
  INTERPRETATION_TIME_EXCEEDED: at(
    ['submission'],
    'Time limit of the command interpretation exceeded',
  ),
  FAILED_TO_DETERMINE_LEDGER_TIME: at(
    ['submission', 'completion'],
    'Could not find a suitable ledger time',
  ),
  NOT_CONNECTED_TO_ANY_SYNCHRONIZER: at(
    ['submission'],
    'This participant is not connected to any synchronizer.',
  ),
  NOT_CONNECTED_TO_SYNCHRONIZER: at(
    ['submission'],
    'This participant is not connected to the synchronizer.',
  ),
  NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT: at(
    ['submission'],
    'This participant cannot submit as the given submitters on any connected synchronizer',
    { resources: parties },
  ),
  UNKNOWN_SUBMITTERS: at(
    ['submission'],
    'This participant has not yet been told about the submitters',
    { resources: parties },
  ),
  UNKNOWN_INFORMEES: at(
    ['submission'],
    'The participant is connected to synchronizers where some informees are not known',
    { resources: parties },
  ),
  SUBMITTERS_NOT_ACTIVE: at(['submission'], 'The submitters are not active', {
    resources: parties,
  }),
  NO_SYNCHRONIZER_FOR_SUBMISSION: at(
    ['submission'],
    'No valid synchronizer for submission found.',
    { metadata: () => ({ reasons: 'as a fault says' }) },
  ),
  INVALID_PRESCRIBED_SYNCHRONIZER_ID: at(
    ['submission'],
    'The prescribed synchronizer id is not connected to this participant',
  ),
  PACKAGE_NOT_FOUND: at(['submission'], 'Could not find package'),
  UNRESOLVED_PACKAGE_NAME: at(['submission'], 'The package name could not be resolved'),
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: at(
    ['submission', 'read'],
    'The template could not be found under the package name',
  ),
  PACKAGE_SELECTION_FAILED: at(['submission'], 'No package could be selected for all parties'),
  PACKAGE_NOT_VETTED_BY_RECIPIENTS: at(
    ['submission', 'completion'],
    'Some packages are not vetted by all recipients',
    { definiteAnswer: true },
  ),
  COMMAND_PREPROCESSING_FAILED: at(['submission'], 'as a fault says'),
  DAML_AUTHORIZATION_ERROR: at(['submission'], 'requires authorizers that are missing'),
  TEMPLATE_PRECONDITION_VIOLATED: at(['submission'], 'Template precondition violated'),
  DAML_FAILURE: at(['submission'], 'as a fault says', {
    metadata: () => ({ error_id: 'UNHANDLED_EXCEPTION/as.a.fault:Says' }),
  }),
  UNHANDLED_EXCEPTION: at(['submission'], 'Unhandled Daml exception'),
  INTERPRETATION_USER_ERROR: at(['submission'], 'User failure: as a fault says'),
  DAML_INTERPRETATION_ERROR: at(['submission'], 'Interpretation failed: as a fault says'),
  WRONGLY_TYPED_CONTRACT: at(['submission'], 'The contract is of another template', aboutContracts),
  INVALID_ARGUMENT: at(['call'], 'The submitted request has invalid arguments'),
  MISSING_FIELD: at(['submission'], 'The submitted command is missing a mandatory field', {
    metadata: () => ({ field_name: 'commands' }),
  }),
  INVALID_FIELD: at(['call'], 'The submitted command has a field with invalid value'),
  INVALID_TOKEN: at(['call'], 'The token and the request do not say who asks'),
  // Both: refused at the door, or later by the network.
  PARTICIPANT_BACKPRESSURE: at(
    ['submission', 'completion'],
    'The participant is overloaded: Maximum number of commands in-flight reached',
    { metadata: () => ({ reason: 'Maximum number of commands in-flight reached' }) },
  ),
  DUPLICATE_CONTRACT_KEY: at(
    ['submission', 'completion'],
    'A contract with this key is there already',
  ),
  // What a submission ends with once it has been taken.
  LOCAL_VERDICT_LOCKED_CONTRACTS: at(
    ['completion'],
    'Rejected transaction is referring to locked contracts',
    aboutContracts,
  ),
  LOCAL_VERDICT_INACTIVE_CONTRACTS: at(
    ['completion'],
    'Rejected transaction is referring to inactive contracts',
    aboutContracts,
  ),
  UNKNOWN_CONTRACT_SYNCHRONIZER: at(
    ['completion'],
    'The synchronizer of a contract is unknown',
    aboutContracts,
  ),
  INCONSISTENT: at(['completion'], 'Inconsistent: conflicting transactions', aboutContracts),
  INCONSISTENT_CONTRACT_KEY: at(['completion'], 'Contract keys were found to be inconsistent'),
  DUPLICATE_COMMAND: at(
    ['completion'],
    'A command with the given command id has already been successfully processed',
    {
      metadata: (site) => ({ changeId: changeIdOfSite(site), accepted: 'false' }),
      definiteAnswer: true,
    },
  ),
  INVALID_DEDUPLICATION_PERIOD: at(
    ['completion'],
    'The submitted command had an invalid deduplication period.',
    {
      metadata: ({ deduplicationOffset = 0n }) => ({
        earliest_offset: deduplicationOffset.toString(),
      }),
      definiteAnswer: true,
    },
  ),
  MEDIATOR_SAYS_TX_TIMED_OUT: at(
    ['completion'],
    'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe',
    { metadata: ({ participant }) => ({ unresponsiveParties: participant }) },
  ),
  LOCAL_VERDICT_TIMEOUT: at(['completion'], 'Rejected transaction due to a participant timeout'),
  NOT_SEQUENCED_TIMEOUT: at(['completion'], 'Transaction was not sequenced within the maximum'),
  LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND: at(
    ['completion'],
    'Rejected transaction due to a ledger time out of the allowed bound',
  ),
  SEQUENCER_BACKPRESSURE: at(['completion'], 'The sequencer is overloaded.', {
    definiteAnswer: true,
  }),
  SEQUENCER_REQUEST_FAILED: at(['completion'], 'Failed to send the submission to the sequencer'),
  SUBMISSION_DURING_SHUTDOWN: at(['completion'], 'Command submitted during shutdown.'),
  CHOSEN_MEDIATOR_IS_INACTIVE: at(
    ['completion'],
    'The chosen mediator is not active on the synchronizer.',
  ),
  // Reads.
  PACKAGE_NAMES_NOT_FOUND: at(['read'], 'The following package names do not match'),
  TEMPLATES_OR_INTERFACES_NOT_FOUND: at(['read'], 'Templates or interfaces do not exist'),
};

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CATEGORIES, text);

/** Where a code can be given; `undefined` for texts that are no code that can be asked for. */
export const stagesOf = (code: string): readonly Stage[] | undefined =>
  isCode(code) ? CODE_RULES[code]?.stages : undefined;

/** Codes of some stages, in the order of the error model. */
export const codesAt = (...stages: readonly Stage[]): readonly ErrorCode[] =>
  Object.keys(ERROR_CATEGORIES)
    .filter(isCode)
    .filter((code) => CODE_RULES[code]?.stages.some((stage) => stages.includes(stage)));

/** Whether a submission can be rejected with this code: some name the contracts that it is about. */
export const canReject = (code: ErrorCode, { contractIds = [] }: FaultTarget): boolean =>
  CODE_RULES[code]?.isAboutContracts !== true || contractIds.length > 0;

const READS = /\.(Update|State|EventQuery|Contract|CommandCompletion)Service\//;

/** Whether this call, or its answer, can be refused with this code. */
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

/** The error as the participant would make it at this place. */
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
