import { useQuery } from '@tanstack/react-query';
import { isReady } from '../api/client.ts';
import { signal, useSignal } from '../signal.ts';
import { isLive } from './shared-events.ts';

/* The connection of a page to the ledger. It depends on the browser's network, the event stream and the participant. */

const isOnline = signal(navigator.onLine);
addEventListener('online', () => isOnline.set(true));
addEventListener('offline', () => isOnline.set(false));

/** How often a visible page checks whether the ledger answers. */
const LEDGER_EVERY_MS = 10_000;

/** When the ledger stopped answering, in this browser's time; null while it answers. */
const ledgerAwaySinceMs = signal<number | null>(null);

/**
 * Returns whether the ledger alone is unreachable: the process is not ready, but would be ready without the check of
 * the ledger.
 */
async function askLedger(signal: AbortSignal): Promise<boolean> {
  const isAway = !(await isReady('', signal)) && (await isReady('?exclude=ledger', signal));
  if (!isAway) ledgerAwaySinceMs.set(null);
  else if (ledgerAwaySinceMs.get() === null) ledgerAwaySinceMs.set(Date.now());
  return isAway;
}

export function useLedgerAwaySinceMs(): number | null {
  useQuery({
    queryKey: ['/readyz'],
    queryFn: ({ signal }) => askLedger(signal),
    refetchInterval: LEDGER_EVERY_MS,
    retry: false,
  });
  return useSignal(ledgerAwaySinceMs);
}

export type ConnectionState = 'live' | 'reconnecting' | 'offline' | 'ledger-away';

/** Returns the worst known state; null before the event stream has been opened. */
export function useConnection(): ConnectionState | null {
  const online = useSignal(isOnline);
  const live = useSignal(isLive);
  const awaySinceMs = useSignal(ledgerAwaySinceMs);
  if (!online) return 'offline';
  if (live === null) return null;
  if (!live) return 'reconnecting';
  return awaySinceMs === null ? 'live' : 'ledger-away';
}
