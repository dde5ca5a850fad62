/**
 * Shares one reading among all that ask while it is under way, and for a while after it has ended: a question that
 * needs no token must not cost more the more often it is asked.
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
