import { refusedBySequencer } from '../ledger/traffic.ts';
import { aboutContracts, at, changeIdOfSite } from './code-rule.ts';
import type { CodeRules } from './code-rule.ts';

/** Codes with which a submission can end after the participant has accepted it. */
export const COMPLETION_CODES: CodeRules = {
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
  UNKNOWN_CONTRACT_SYNCHRONIZER: at(['completion'], 'The synchronizer of a contract is unknown', {
    ...aboutContracts,
    definiteAnswer: true,
    isUnsequenced: true,
  }),
  INCONSISTENT: at(['completion'], 'Inconsistent: conflicting transactions', aboutContracts),
  INCONSISTENT_CONTRACT_KEY: at(['completion'], 'Contract keys were found to be inconsistent'),
  DUPLICATE_COMMAND: at(
    ['completion'],
    'A command with the given command id has already been successfully processed',
    {
      metadata: (site) => ({ changeId: changeIdOfSite(site), accepted: 'false' }),
      definiteAnswer: true,
      isUnsequenced: true,
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
      isUnsequenced: true,
    },
  ),
  MEDIATOR_SAYS_TX_TIMED_OUT: at(
    ['completion'],
    'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe',
    { metadata: ({ participant }) => ({ unresponsiveParties: participant }) },
  ),
  LOCAL_VERDICT_TIMEOUT: at(['completion'], 'Rejected transaction due to a participant timeout'),
  NOT_SEQUENCED_TIMEOUT: at(['completion'], 'Transaction was not sequenced within the maximum', {
    isUnsequenced: true,
  }),
  LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND: at(
    ['completion'],
    'Rejected transaction due to a ledger time out of the allowed bound',
  ),
  SEQUENCER_BACKPRESSURE: at(['completion'], 'The sequencer is overloaded.', {
    definiteAnswer: true,
    isUnsequenced: true,
  }),
  SEQUENCER_REQUEST_FAILED: at(['completion'], 'Failed to send command', {
    metadata: () =>
      refusedBySequencer('SEQUENCER_UNAVAILABLE', 'UNAVAILABLE/as a fault says').metadata,
    definiteAnswer: true,
    isUnsequenced: true,
  }),
  SUBMISSION_DURING_SHUTDOWN: at(['completion'], 'Command submitted during shutdown.', {
    isUnsequenced: true,
  }),
  CHOSEN_MEDIATOR_IS_INACTIVE: at(
    ['completion'],
    'The chosen mediator is not active on the synchronizer.',
  ),
  // Codes for a submission that was accepted but not sent.
  COMMAND_INJECTION_FAILURE: at(['completion'], 'The command could not be injected', {
    isUnsequenced: true,
  }),
  SUBMISSION_INTERNAL_ERROR: at(['completion'], 'internal error during transaction submission', {
    isUnsequenced: true,
  }),
  MALFORMED_REQUEST: at(['completion'], 'Malformed request', { isUnsequenced: true }),
  INTERNALLY_INCONSISTENT_KEYS: at(['completion'], 'Contract keys are inconsistent', {
    isUnsequenced: true,
  }),
  INTERNALLY_DUPLICATE_KEYS: at(['completion'], 'Contract keys are there twice', {
    isUnsequenced: true,
  }),
  // Codes with which the sequencer refuses a submission.
  SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT: at(['completion'], 'AboveTrafficLimit(as a fault says)', {
    definiteAnswer: true,
  }),
  OUTDATED_TRAFFIC_COST: at(['completion'], 'OutdatedEventCost(as a fault says)', {
    definiteAnswer: true,
  }),
  SEQUENCER_OVERLOADED: at(['completion'], 'The sequencer is overloaded', { definiteAnswer: true }),
  SEQUENCER_UNAVAILABLE: at(['completion'], 'The sequencer is unavailable', {
    definiteAnswer: true,
  }),
  SEQUENCER_INTERNAL: at(['completion'], 'as a fault says', { definiteAnswer: true }),
  SEQUENCER_UNIMPLEMENTED: at(['completion'], 'The sequencer does not do that', {
    definiteAnswer: true,
  }),
  SEQUENCER_SUBMISSION_REQUEST_MALFORMED: at(
    ['completion'],
    'The send request is malformed. Discarding request.',
    { definiteAnswer: true },
  ),
  SEQUENCER_SUBMISSION_REQUEST_REFUSED: at(['completion'], 'The submission was refused', {
    definiteAnswer: true,
  }),
  SEQUENCER_SUBMISSION_AFTER_UPGRADE_TIME: at(
    ['completion'],
    'The synchronizer has been upgraded',
    { definiteAnswer: true },
  ),
  SEQUENCER_TOPOLOGY_TIMESTAMP_TOO_EARLY: at(
    ['completion'],
    'The topology timestamp is too early for the sequencing time.',
    { definiteAnswer: true },
  ),
  SEQUENCER_TOPOLOGY_TIMESTAMP_AFTER_SEQUENCING_TIMESTAMP: at(
    ['completion'],
    'Invalid topology timestamp',
    { definiteAnswer: true },
  ),
  SEQUENCER_MAX_SEQUENCING_TIME_TOO_FAR: at(
    ['completion'],
    'The max sequencing time is too far in the future',
    { definiteAnswer: true },
  ),
  SEQUENCER_UNKNOWN_RECIPIENTS: at(['completion'], 'Unknown recipients', { definiteAnswer: true }),
  SEQUENCER_SENDER_UNKNOWN: at(['completion'], '(Eligible) Senders are unknown', {
    definiteAnswer: true,
  }),
  SEQUENCER_AGGREGATE_INVALID_RULE: at(['completion'], 'The aggregation rule is invalid', {
    definiteAnswer: true,
  }),
  SEQUENCER_AGGREGATE_SUBMISSION_STUFFING: at(
    ['completion'],
    'The sender has sent this aggregate submission already',
    { definiteAnswer: true },
  ),
  // Codes of failures that the network detects after it received a submission.
  NO_VIEW_WITH_VALID_RECIPIENTS: at(
    ['completion'],
    'the request does not contain any view with the expected recipients',
  ),
  LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED: at(
    ['completion'],
    'Rejected transaction as its record time is later than its maximum',
  ),
  LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND: at(
    ['completion'],
    'Rejected transaction due to a preparation time out of the allowed bound',
  ),
  LOCAL_VERDICT_MALFORMED_REQUEST: at(
    ['completion'],
    'Rejected transaction due to a malformed request',
  ),
  LOCAL_VERDICT_MALFORMED_PAYLOAD: at(
    ['completion'],
    'Rejected transaction due to a malformed payload',
  ),
  LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK: at(
    ['completion'],
    'Rejected transaction due to a failed model conformance check',
  ),
  LOCAL_VERDICT_BAD_ROOT_HASH_MESSAGES: at(
    ['completion'],
    'Rejected transaction due to bad root hash messages',
  ),
  LOCAL_VERDICT_CREATES_EXISTING_CONTRACTS: at(
    ['completion'],
    'Rejected transaction would create contracts that are there',
  ),
  LOCAL_VERDICT_ACTIVATES_EXISTING_CONTRACTS: at(
    ['completion'],
    'Rejected transaction would activate contracts that are active',
  ),
  MEDIATOR_INVALID_MESSAGE: at(['completion'], 'The mediator received an invalid message'),
  MEDIATOR_INTERNAL_ERROR: at(['completion'], 'as a fault says'),
  MEDIATOR_RECEIVED_MALFORMED_MESSAGE: at(
    ['completion'],
    'The mediator received a malformed message',
  ),
  MEDIATOR_PARTICIPANT_EQUIVOCATION: at(['completion'], 'A participant has said two things'),
  DUPLICATE_CONFIRMATION_REQUEST_UUID: at(['completion'], 'The request uuid has been used before'),
};
