import { describe, expect, test } from 'vitest';
import {
  canReject,
  codesAt,
  isSequenced,
  rejectionOf,
  stagesOf,
} from '../../../localnet/faults/codes.ts';
import { readFault } from '../../../localnet/faults/rules.ts';
import { ERROR_CATEGORIES } from '../../../localnet/ledger/ledger-error.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';

/*
 * Codes of a real network, copied by hand from the participant's error definitions. A fault can use each code at the
 * stage at which a participant returns it.
 */

const SITE = {
  participant: 'app-user',
  userId: 'user',
  commandId: 'command',
  submissionId: 'submission',
  parties: ['alice::1220'],
  contractIds: ['00ab'],
} as const;

/** Errors that the sequencer delivers instead of the submission. */
const DELIVER_ERRORS = [
  'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
  'OUTDATED_TRAFFIC_COST',
  'SEQUENCER_OVERLOADED',
  'SEQUENCER_UNAVAILABLE',
  'SEQUENCER_INTERNAL',
  'SEQUENCER_SUBMISSION_REQUEST_MALFORMED',
  'SEQUENCER_SUBMISSION_REQUEST_REFUSED',
  'SEQUENCER_SUBMISSION_AFTER_UPGRADE_TIME',
  'SEQUENCER_TOPOLOGY_TIMESTAMP_TOO_EARLY',
  'SEQUENCER_TOPOLOGY_TIMESTAMP_AFTER_SEQUENCING_TIMESTAMP',
  'SEQUENCER_MAX_SEQUENCING_TIME_TOO_FAR',
  'SEQUENCER_UNKNOWN_RECIPIENTS',
  'SEQUENCER_SENDER_UNKNOWN',
  'SEQUENCER_AGGREGATE_INVALID_RULE',
  'SEQUENCER_AGGREGATE_SUBMISSION_STUFFING',
] as const;

/** Verdicts on a submission that was sequenced. */
const VERDICTS = [
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  'LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND',
  'LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED',
  'LOCAL_VERDICT_TIMEOUT',
  'LOCAL_VERDICT_MALFORMED_REQUEST',
  'LOCAL_VERDICT_MALFORMED_PAYLOAD',
  'LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK',
  'LOCAL_VERDICT_BAD_ROOT_HASH_MESSAGES',
  'LOCAL_VERDICT_CREATES_EXISTING_CONTRACTS',
  'MEDIATOR_SAYS_TX_TIMED_OUT',
  'MEDIATOR_INVALID_MESSAGE',
  'CHOSEN_MEDIATOR_IS_INACTIVE',
  'NO_VIEW_WITH_VALID_RECIPIENTS',
] as const;

/** Errors of a participant that could not pass a submission to the sequencer. */
const UNSEQUENCED = [
  'NOT_SEQUENCED_TIMEOUT',
  'SEQUENCER_BACKPRESSURE',
  'SEQUENCER_REQUEST_FAILED',
  'SUBMISSION_DURING_SHUTDOWN',
  'SUBMISSION_INTERNAL_ERROR',
  'PACKAGE_NOT_VETTED_BY_RECIPIENTS',
  'UNKNOWN_CONTRACT_SYNCHRONIZER',
  'MALFORMED_REQUEST',
  'DUPLICATE_COMMAND',
  'INVALID_DEDUPLICATION_PERIOD',
] as const;

/** Refusals of a submission that the call itself returns. */
const AT_ONCE = [
  'PACKAGE_NAME_DISCARDED_DUE_TO_UNVETTED_PACKAGES',
  'PACKAGE_SELECTION_FAILED',
  'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
  'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
  'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH',
  'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH',
  'NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE',
  'NO_COMMON_SYNCHRONIZER',
  'NOT_CONNECTED_TO_ALL_CONTRACT_SYNCHRONIZERS',
  'SUBMISSION_SYNCHRONIZER_NOT_READY',
  'AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED',
  'TRAFFIC_ACCOUNT_VALIDATION_FAILED',
  'DAML_INTERPRETER_INVALID_ARGUMENT',
  'MALFORMED_TEXT',
  'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'PARTY_CURRENTLY_ONBOARDING',
  'SYNCHRONIZER_WITHOUT_MEDIATOR',
  'INFORMEES_NOT_ACTIVE',
  'UNKNOWN_INFORMEES',
  'SUBMITTERS_NOT_ACTIVE',
  'CONTRACT_KEY_NOT_FOUND',
] as const;

describe('a submission can be told', () => {
  test.each([...DELIVER_ERRORS, ...VERDICTS, ...UNSEQUENCED])('%s as its completion', (code) => {
    expect(readFault({ kind: 'reject', code })).toMatchObject({ code });
    expect(canReject(code, SITE)).toBe(true);
    expect(rejectionOf(code, SITE).code).toBe(code);
  });

  test.each(AT_ONCE)('%s at once', (code) => {
    expect(readFault({ kind: 'error', code })).toMatchObject({ code });
    expect(rejectionOf(code, SITE).code).toBe(code);
  });

  test.each(DELIVER_ERRORS)('%s for certain', (code) => {
    expect(rejectionOf(code, SITE).definiteAnswer).toBe(true);
  });
});

test('time passes by what was sequenced, and by nothing else', () => {
  const asked = [...DELIVER_ERRORS, ...VERDICTS].filter((code) => !isSequenced(code));
  expect(asked).toEqual([]);
  expect(UNSEQUENCED.filter((code) => isSequenced(code))).toEqual([]);
});

test('a request that the sequencer refuses names the sequencer’s reason in its metadata', () => {
  const { metadata, definiteAnswer } = rejectionOf('SEQUENCER_REQUEST_FAILED', SITE);
  expect(metadata['sendError']).toMatch(/^RequestRefused\(.*SEQUENCER_UNAVAILABLE/);
  expect(definiteAnswer).toBe(true);
});

test('no code is asked for that would tell another past', () => {
  const pasts: readonly ErrorCode[] = [
    'OFFSET_AFTER_LEDGER_END',
    'PARTICIPANT_PRUNED_DATA_ACCESSED',
    'UPDATE_NOT_FOUND',
  ];
  for (const code of pasts) expect(stagesOf(code)).toBeUndefined();
  expect(rejectionOf('DUPLICATE_COMMAND', SITE).metadata['accepted']).toBe('false');
});

test('every code of the error model that a submission can meet is at home somewhere', () => {
  const asked = new Set<string>(
    codesAt('call', 'submission', 'completion', 'stream', 'answer', 'read'),
  );
  const nowhere = Object.keys(ERROR_CATEGORIES).filter((code) => !asked.has(code));
  // Codes of reads, administration, packages and paging. No submission gets them.
  expect(
    nowhere
      .filter((code) => !/^PACKAGE_SERVICE|_UTILITY_PACKAGE$/.test(code))
      .filter((code) => /VERDICT|SEQUENCE|MEDIATOR|SYNCHRONIZER|DAML|INTERPRET/.test(code)),
  ).toEqual([]);
});
