import { Readable } from 'node:stream';
import { HTTP_LIMITS } from '../../limits.ts';

/**
 * The body of an event stream: written as fast as the client reads it, at most one part ahead. A client that takes
 * nothing is disconnected after a while, and sooner once its caller has ended.
 *
 * @param ended fires when the caller's token, session or tenant has ended
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
