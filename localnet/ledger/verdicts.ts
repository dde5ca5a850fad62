import type { Rejection } from './update.ts';

/* Rejections of submissions by the network. */

const contractResources = (contractIds: readonly string[]) =>
  contractIds.map((name) => ({ type: 'CONTRACT_ID', name }));

export const lockedContracts = (contractIds: readonly string[]): Rejection => ({
  code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
  text: `Rejected transaction is referring to locked contracts ${contractIds.join(', ')}`,
  metadata: {},
  resources: contractResources(contractIds),
  definiteAnswer: false,
});

export const inactiveContracts = (contractIds: readonly string[]): Rejection => ({
  code: 'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  text: `Rejected transaction is referring to inactive contracts ${contractIds.join(', ')}`,
  metadata: {},
  resources: contractResources(contractIds),
  definiteAnswer: false,
});

export const ledgerTimeOutOfBound = ({
  ledgerTime,
  recordTime,
  toleranceMicros,
}: {
  readonly ledgerTime: bigint;
  readonly recordTime: bigint;
  readonly toleranceMicros: bigint;
}): Rejection => ({
  code: 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  text: 'Rejected transaction due to a ledger time out of the allowed bound',
  metadata: {
    ledgerTime: ledgerTime.toString(),
    recordTime: recordTime.toString(),
    maxDeviationMicros: toleranceMicros.toString(),
  },
  resources: [],
  definiteAnswer: false,
});

export const preparationTimeOutOfBound = ({
  preparationTime,
  recordTime,
  toleranceMicros,
}: {
  readonly preparationTime: bigint;
  readonly recordTime: bigint;
  readonly toleranceMicros: bigint;
}): Rejection => ({
  code: 'LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND',
  text: 'Rejected transaction due to a preparation time out of the allowed bound',
  metadata: {
    preparationTime: preparationTime.toString(),
    recordTime: recordTime.toString(),
    maxDeviationMicros: toleranceMicros.toString(),
  },
  resources: [],
  definiteAnswer: false,
});

/** Rejects a transaction because a participant that interpreted it again got a different result. */
export const modelConformance = (reason: string): Rejection => ({
  code: 'LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK',
  text: `Rejected transaction due to a failed model conformance check: ${reason}`,
  metadata: {},
  resources: [],
  definiteAnswer: false,
});

/** The rejection of a submission that was not sequenced before its deadline. */
export const notSequenced: Rejection = {
  code: 'NOT_SEQUENCED_TIMEOUT',
  text: 'Transaction was not sequenced within the pre-defined max sequencing time and has therefore timed out',
  metadata: {},
  resources: [],
  definiteAnswer: false,
};

/** The rejection of a request that was sequenced, but that the network did not decide in time. */
export const mediatorTimedOut = (unresponsiveParties: string): Rejection => ({
  code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
  text: 'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe',
  metadata: { unresponsiveParties },
  resources: [],
  definiteAnswer: false,
});
