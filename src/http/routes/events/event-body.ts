import { Readable } from 'node:stream';
import { HTTP_LIMITS } from '../../limits.ts';

/**
 * The body of an event stream. It is written as fast as the client reads it, and at most one part is prepared in
 * advance. A client that reads nothing is disconnected after a while, or sooner once its caller's token, session or
 * tenant has ended.
 *
 * @param ended aborted when the caller's token, session or tenant has ended
 */
export function eventBody(
  parts: AsyncGenerator<string>,
  stallMs: number,
  ended: AbortSignal,
): Readable {
  const stream: Readable = Readable.from(cutWhenStalled(), { highWaterMark: 1 });
  const cut = (): void => void setTimeout(() => stream.destroy(), HTTP_LIMITS.eventEndMs).unref();
  ended.addEventListener('abort', cut, { once: true });
  async function* cutWhenStalled(): AsyncGenerator<string> {
    for await (const part of parts) {
      const timer = setTimeout(() => stream.destroy(), stallMs);
      try {
        yield part;
      } finally {
        clearTimeout(timer);
      }
    }
  }
  return stream;
}
