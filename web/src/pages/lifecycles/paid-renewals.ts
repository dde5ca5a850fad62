import { useQueries } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import type { HistoryEntry } from '../../chart/history.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];
type License = components['schemas']['License'];

/** One extension of a licence, as the ledger recorded it. */
export interface PaidRenewal {
  readonly at: string;
  readonly updateId: string;
  readonly offset: number | undefined;
  /** The end of the licence after this extension; undefined if its contract is no longer known. */
  readonly validUntil: string | undefined;
  /** The renewal; undefined if it is no longer known. */
  readonly renewal: Renewal | undefined;
}

async function validUntilOf(contractId: string, signal: AbortSignal): Promise<string | null> {
  const { data } = await read('/contracts/{contractId}', { path: { contractId } }, signal);
  const { expiresAt } = data.payload as Readonly<Record<string, unknown>>;
  return typeof expiresAt === 'string' ? expiresAt : null;
}

/** Maximum number of ended renewals that are read. A licence has only a few. */
const ENDED_LIMIT = 1_000;

const isExtension = ({ kind }: HistoryEntry): boolean => kind === 'ledger.licenseRenewed';

/** Reads the ended renewals with this licence's number and parties. */
export const useEndedRenewals = ({ provider, user, licenseNum }: License) =>
  useRead(
    '/license-renewal-requests',
    { query: { ended: 'true', provider, user, licenseNum, limit: ENDED_LIMIT } },
    { topics: ['renewal'] },
  );

/**
 * Returns the ended renewals of a licence with this history, latest end first. Renewals of another licence with the
 * same number are left out. A renewal that names no licence is included if the history shows that it extended this one.
 */
export function endedOf(
  { lifecycleId }: License,
  renewals: readonly Renewal[],
  entries: readonly HistoryEntry[],
): readonly Renewal[] {
  const updates = new Set(entries.filter(isExtension).map(({ updateId }) => updateId));
  const isOwn = ({ licenseLifecycleId: of, state, updateId }: Renewal): boolean =>
    of === null ? state !== 'renewed' || updates.has(updateId) : of === lifecycleId;
  return renewals
    .filter(isOwn)
    .toSorted((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''));
}

/**
 * Returns the renewals that extended a licence, oldest first. The ledger data comes from the licence's history, and the
 * cost from the renewal that the same update ended.
 */
export function usePaidRenewals(license: License, entries: readonly HistoryEntry[] | undefined) {
  const extensions = (entries ?? []).filter(isExtension);
  const validity = useQueries({
    queries: extensions.map(({ contractId = '' }) => ({
      queryKey: ['valid-until', contractId],
      queryFn: ({ signal }: { signal: AbortSignal }) => validUntilOf(contractId, signal),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const ended = useEndedRenewals(license).data?.data ?? [];
  const byUpdate = new Map(ended.map((renewal) => [renewal.updateId, renewal]));
  return extensions.map(({ at, updateId = '', offset }, index): PaidRenewal => ({
    at,
    updateId,
    offset,
    validUntil: validity[index]?.data ?? undefined,
    renewal: byUpdate.get(updateId),
  }));
}
