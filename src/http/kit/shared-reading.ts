/**
 * Shares one read among all callers that ask during the read or for a while afterwards, so that a route without a token
 * does not cost more with every call.
 *
 * @param keptMs how old an answer may be
 * @param nowMs a clock that does not go back
 */
export function sharedReading<Found>(
  read: () => Promise<Found>,
  keptMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<Found> {
  let reading: Promise<Found> | null = null;
  let endsMs = Infinity;
  const readAnew = async (): Promise<Found> => {
    endsMs = Infinity;
    try {
      const found = await read();
      endsMs = nowMs() + keptMs;
      return found;
    } catch (error) {
      reading = null;
      throw error;
    }
  };
  return () => {
    if (reading === null || nowMs() >= endsMs) reading = readAnew();
    return reading;
  };
}
