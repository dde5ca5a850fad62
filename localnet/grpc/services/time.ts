import type { TimeServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { timestampText } from '../../ledger/lf-values.ts';
import { invalidArgument, missingField } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import { microsOf, timestampOf } from '../../messages/times.ts';

export interface StaticTime {
  nowMicros(): bigint;
  setTime(micros: bigint): void;
}

/**
 * Exists only on a network with static time. The time is set by compare-and-set: the caller must name the current time.
 */
export const timeService = (time: StaticTime): TimeServiceImplementation<Call> => ({
  async getTime() {
    return { currentTime: timestampOf(time.nowMicros()) };
  },

  async setTime({ currentTime, newTime }, { access }) {
    access.requireAdmin();
    if (currentTime === undefined) throw missingField('current_time');
    if (newTime === undefined) throw missingField('new_time');
    const [given, actual] = [microsOf(currentTime), time.nowMicros()];
    if (given !== actual) {
      throw invalidArgument(
        `current_time mismatch. Provided: ${timestampText(given)}. Actual: ${timestampText(actual)}`,
      );
    }
    time.setTime(microsOf(newTime));
    return {};
  },
});
