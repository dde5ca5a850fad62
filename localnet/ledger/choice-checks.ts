import { deadlineFailure } from './interpretation-errors.ts';
import { compareValues } from './lf-order.ts';
import { show } from './lf-show.ts';
import type { ChoiceContext } from './package-definition.ts';
import type { TimeBounds } from './transaction-tree.ts';

const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';

type Checks = Pick<
  ChoiceContext,
  'require' | 'requireEqual' | 'requireWithinDeadline' | 'requireDeadlineExceeded'
>;

/**
 * Returns the functions with which native choices check conditions. Their error messages are those of Daml's standard
 * library.
 */
export const checksOf = (
  ledgerTime: bigint,
  fail: ChoiceContext['fail'],
  narrow: (bounds: TimeBounds) => void,
): Checks => ({
  require: (description, condition) => {
    if (!condition) fail(ASSERTION_FAILED, `The requirement '${description}' was not met.`);
  },
  requireEqual: (left, right, type) => {
    if (compareValues(type, left, right) === 0) return;
    fail(ASSERTION_FAILED, `Failure, expected ${show(type, left)} == ${show(type, right)}`);
  },
  requireWithinDeadline: (name, deadline) => {
    if (ledgerTime >= deadline) {
      fail(...deadlineFailure('exceeded', 'at or past', name, deadline));
    }
    narrow({ max: deadline - 1n });
  },
  requireDeadlineExceeded: (name, deadline) => {
    if (ledgerTime < deadline) {
      fail(...deadlineFailure('not-exceeded', 'strictly before', name, deadline));
    }
    narrow({ min: deadline });
  },
});
