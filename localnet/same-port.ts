import { pause } from './ledger/wakeup.ts';

/**
 * The pause between two attempts to open a port that is in use. Another process may have got the port for an outgoing
 * connection.
 */
const PORT_RETRY_MS = 50;
const PORT_TRIES_MAX = 600;

/** Returns whether an error means that another socket uses the port. gRPC says so only in the error's text. */
export const isPortTaken = (error: unknown): boolean => String(error).includes('EADDRINUSE');

/**
 * Opens a server again on the ports that it used before. While a port is in use, retries for half a minute. Rejects
 * with the last error if the port remains in use or when `signal` is aborted; rejects at once with any other error.
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
