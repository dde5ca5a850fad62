import { aboutContracts, at, changeIdOfSite, parties } from './code-rule.ts';
import type { CodeRules } from './code-rule.ts';

/** Codes with which a call can be refused or a stream can end. Some of these codes may also end a submission. */
export const CALL_CODES: CodeRules = {
  // Codes with which the server can refuse any request.
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
    { isUnsequenced: true },
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
  // Codes with which streams end.
  ACCESS_TOKEN_EXPIRED: at(['stream'], 'Claims were valid until their token expired'),
  STALE_STREAM_AUTHORIZATION: at(['stream'], 'Stale stream authorization. Retry quickly.'),
  // Codes for submissions before they are registered.
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
  SUBMISSION_ALREADY_IN_FLIGHT: at(['submission'], 'The submission is already in-flight', {
    metadata: (site) => ({
      changeId: changeIdOfSite(site),
      existingSubmissionId: site.submissionId === undefined ? 'None' : `Some(${site.submissionId})`,
    }),
  }),
  INTERPRETATION_TIME_EXCEEDED: at(
    ['submission'],
    'Time limit of the command interpretation exceeded',
  ),
  FAILED_TO_DETERMINE_LEDGER_TIME: at(
    ['submission', 'completion'],
    'Could not find a suitable ledger time',
    { isUnsequenced: true },
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
    { definiteAnswer: true, isUnsequenced: true },
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
  // Codes that can refuse a submission at once, or later through the network.
  PARTICIPANT_BACKPRESSURE: at(
    ['submission', 'completion'],
    'The participant is overloaded: Maximum number of commands in-flight reached',
    {
      metadata: () => ({ reason: 'Maximum number of commands in-flight reached' }),
      isUnsequenced: true,
    },
  ),
  DUPLICATE_CONTRACT_KEY: at(
    ['submission', 'completion'],
    'A contract with this key is there already',
  ),
  // Codes for calls that only read.
  PACKAGE_NAMES_NOT_FOUND: at(['read'], 'The following package names do not match'),
  TEMPLATES_OR_INTERFACES_NOT_FOUND: at(['read'], 'Templates or interfaces do not exist'),
  // Codes with which submissions are refused at once, because of their content or their synchronizer.
  ROUTING_INTERNAL_ERROR: at(['submission'], 'Input contracts are on different synchronizers'),
  CONTRACT_AUTHENTICATION_FAILED: at(['submission'], 'A contract could not be authenticated'),
  PACKAGE_VALIDATION_FAILED: at(['submission'], 'A package could not be validated'),
  DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS: at(
    ['submission'],
    'Disclosed contracts have conflicting payloads',
  ),
  SUBMITTER_CANNOT_ACT_VIA_PARTICIPANT: at(
    ['submission'],
    'The submitter cannot act via this participant',
  ),
  MALFORMED_TEXT: at(['submission'], 'A text holds a character that it may not hold'),
  DAML_INTERPRETER_INVALID_ARGUMENT: at(['submission'], 'Invalid argument'),
  DAML_EFFECTFUL_ROLLBACK_ERROR: at(['submission'], 'A rollback has effects'),
  NON_COMPARABLE_VALUES: at(['submission'], 'Values are not comparable'),
  CONTRACT_ID_COMPARABILITY: at(['submission'], 'Contract IDs are not comparable'),
  CONTRACT_ID_IN_CONTRACT_KEY: at(['submission'], 'A contract key holds a contract ID'),
  CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS: at(['submission'], 'A contract key has no maintainers'),
  FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS: at(['submission'], 'A contract key has no maintainers'),
  CONTRACT_HASHING_ERROR: at(['submission'], 'A contract cannot be hashed'),
  CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: at(
    ['submission'],
    'The contract does not implement the interface',
    { ...aboutContracts },
  ),
  CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE: at(
    ['submission'],
    'The contract does not implement the requiring interface',
    { ...aboutContracts },
  ),
  INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: at(
    ['submission'],
    'A contract does not fit the package that it would be read with',
    { ...aboutContracts },
  ),
  INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED: at(
    ['submission'],
    'A contract cannot be read with the package',
    { ...aboutContracts },
  ),
  INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED: at(
    ['submission'],
    'A contract read with another package is not authentic',
    { ...aboutContracts },
  ),
  DISCLOSED_CONTRACT_AUTHENTICATION_FAILED: at(
    ['submission'],
    'Disclosed contract authentication failed',
    { ...aboutContracts },
  ),
  DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH: at(
    ['submission'],
    'Disclosed contracts are on several synchronizers',
  ),
  PRESCRIBED_SYNCHRONIZER_ID_MISMATCH: at(
    ['submission'],
    'Disclosed contracts are not on the prescribed synchronizer',
  ),
  INVALID_DISCLOSED_CONTRACT: at(['submission'], 'Invalid disclosed contract'),
  INVALID_PARTY_IDENTIFIER: at(
    ['submission'],
    'The given party is not a valid Canton party identifier',
  ),
  INVALID_READER: at(['submission'], 'Unable to parse reader (actAs or readAs).'),
  LEDGER_TIME_OUTSIDE_BOUNDS: at(['submission'], 'The ledger time is outside of its bounds'),
  FAILED_TO_EXECUTE_TRANSACTION: at(
    ['submission'],
    'The participant failed to execute the transaction',
  ),
  VALUE_NESTING: at(['submission'], 'A value is nested too deeply'),
  INTERPRETATION_DEV_ERROR: at(['submission'], 'as a fault says'),
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: at(
    ['submission'],
    'A byte encoding is malformed',
  ),
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: at(['submission'], 'A key is malformed'),
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: at(['submission'], 'A signature is malformed'),
  DISCLOSED_CONTRACT_KEY_HASHING_ERROR: at(
    ['submission'],
    'The key of a disclosed contract has another hash',
  ),
  NOT_CONNECTED_TO_ALL_CONTRACT_SYNCHRONIZERS: at(
    ['submission'],
    'The participant is not connected to all synchronizers of the contracts',
    { ...aboutContracts },
  ),
  NO_COMMON_SYNCHRONIZER: at(['submission'], 'There is no common synchronizer for the contracts', {
    ...aboutContracts,
  }),
  INFORMEES_NOT_ACTIVE: at(
    ['submission'],
    'There is no common synchronizer where all informees are active',
    { resources: parties },
  ),
  SUBMITTER_ALWAYS_STAKEHOLDER: at(
    ['submission'],
    'The given contracts cannot be reassigned as no submitter is a stakeholder.',
    { ...aboutContracts },
  ),
  PARTY_CURRENTLY_ONBOARDING: at(
    ['submission'],
    'The following submitting parties are currently onboarding',
    { definiteAnswer: true },
  ),
  AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED: at(
    ['submission'],
    'Automatically reassigning contracts to a common synchronizer failed.',
  ),
  UNABLE_TO_GET_TOPOLOGY_SNAPSHOT: at(
    ['submission'],
    'Participant is not connected to synchronizer.',
  ),
  UNABLE_TO_GET_STATIC_PARAMETERS: at(
    ['submission'],
    'Participant is not connected to synchronizer.',
  ),
  NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE: at(
    ['submission'],
    'No vetted package for rendering the interface view',
  ),
  TRAFFIC_ACCOUNT_VALIDATION_FAILED: at(
    ['submission'],
    'The account cannot be debited: as a fault says',
    { definiteAnswer: true },
  ),
  CONTRACT_KEY_NOT_FOUND: at(['submission'], 'No contract with this key was found'),
  SUBMISSION_SYNCHRONIZER_NOT_READY: at(
    ['submission'],
    'Trying to submit to a disconnected or not configured synchronizer.',
  ),
  SYNCHRONIZER_WITHOUT_MEDIATOR: at(
    ['submission'],
    'There are no active mediators on the synchronizer',
  ),
  SUBMITTING_PARTY_NOT_KNOWN_ON_LEDGER: at(
    ['submission'],
    'The submitting party is not known on the ledger',
    { resources: parties },
  ),
  PARTY_NOT_KNOWN_ON_LEDGER: at(['submission'], 'A party is not known on the ledger', {
    resources: parties,
  }),
  PACKAGE_NAME_DISCARDED_DUE_TO_UNVETTED_PACKAGES: at(
    ['submission'],
    'A package name was discarded: none of its packages is vetted by all',
  ),
  // Codes with which the server refuses calls at once.
  REQUEST_ALREADY_IN_FLIGHT: at(['call'], 'The request is already in flight'),
  SERVICE_INTERNAL_ERROR: at(['call', 'answer'], 'as a fault says'),
  INTERNAL_AUTHORIZATION_ERROR: at(['call'], 'as a fault says'),
  NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: at(
    ['submission', 'read'],
    'The interface could not be found under the package name',
  ),
};
