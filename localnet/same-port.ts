import { pause } from './ledger/wakeup.ts';

/**
 * How often and how long to retry while a port is in use: another process may have got it for an outgoing connection.
 */
const PORT_RETRY_MS = 50;
const PORT_TRIES_MAX = 600;

/** Returns whether another socket uses the port. gRPC reports this only in the text of its error. */
export const isPortTaken = (error: unknown): boolean => String(error).includes('EADDRINUSE');

/**
 * Opens a server on ports that it used before. While a port is in use, retries for half a minute. Rejects with the last
 * error if the port remains in use or `signal` is aborted, and at once with any other error.
 */
export async function reopenOn<T>(open: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isPortTaken(error) || tries >= PORT_TRIES_MAX || signal.aborted) throw error;
    }
    await pause(PORT_RETRY_MS, signal);
  }
}
