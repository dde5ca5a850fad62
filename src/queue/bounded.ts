import type { Io } from '../app/ports/io.ts';

/**
 * Waits for `work` no longer than `io` allows. The work itself goes on where it cannot be stopped, and a late failure
 * of it is dropped: whoever starts work this way must be able to live with it having happened after all.
 *
 * @throws what `work` throws; what `onTimeout` makes; the signal's reason
 */
export async function bounded<T>(work: Promise<T>, io: Io, onTimeout: () => Error): Promise<T> {
  work.catch(() => undefined);
  io.signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(onTimeout());
  }, io.deadlineMs);
  const abort = () => {
    reject(io.signal.reason);
  };
  io.signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    io.signal.removeEventListener('abort', abort);
  }
}

/**
 * Waits for something to close: never rejects and never outlasts `boundMs`, because closing must not keep a process
 * that wants to end.
 *
 * @returns whether it closed well
 */
export async function closeQuietly(closing: Promise<unknown>, boundMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    resolve(false);
  }, boundMs);
  const closed = await Promise.race([
    closing.then(
      () => true,
      () => false,
    ),
    promise,
  ]);
  clearTimeout(timer);
  return closed;
}
