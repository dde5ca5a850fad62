import type { Duration } from '../../proto/gen/google/protobuf/duration.ts';
import type { Timestamp } from '../../proto/gen/google/protobuf/timestamp.ts';

const MICROS_PER_SECOND = 1_000_000n;

/** Converts microseconds since the epoch to a protobuf timestamp, whose nanos are never negative. */
export function timestampOf(micros: bigint): Timestamp {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  return { seconds: (micros - fraction) / MICROS_PER_SECOND, nanos: Number(fraction) * 1000 };
}

/** Converts a timestamp or a duration to microseconds. Digits after the microseconds are dropped. */
export const microsOf = ({ seconds, nanos }: Timestamp | Duration): bigint =>
  seconds * MICROS_PER_SECOND + BigInt(Math.floor(nanos / 1000));

export const durationOfMs = (ms: number): Duration => ({
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: Math.round((ms % 1000) * 1_000_000),
});
