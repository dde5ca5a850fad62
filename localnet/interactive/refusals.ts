import { LedgerError } from '../ledger/ledger-error.ts';

/** Returns the error FAILED_TO_PREPARE_TRANSACTION. */
export const notPrepared = (reason: string): LedgerError =>
  new LedgerError(
    'FAILED_TO_PREPARE_TRANSACTION',
    `The participant failed to prepare the transaction: ${reason}`,
  );

/** Returns the error FAILED_TO_EXECUTE_TRANSACTION. */
export const notExecuted = (reason: string): LedgerError =>
  new LedgerError(
    'FAILED_TO_EXECUTE_TRANSACTION',
    `The participant failed to execute the transaction: ${reason}`,
  );
