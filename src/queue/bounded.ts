import type { Io } from '../app/ports/io.ts';

/**
 * Waits for `work`, but not longer than `io` allows. If the time runs out, the work continues and its later failure is
 * ignored: the caller must allow for its later success.
 *
 * @throws the error of `work`, of `onTimeout`, or the signal's reason
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
 * Waits until `closing` has settled. Never rejects and never takes longer than `boundMs`, because closing must not
 * delay the exit of a process.
 *
 * @returns whether it closed without failure
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
