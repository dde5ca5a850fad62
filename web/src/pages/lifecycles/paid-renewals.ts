import { useQueries, useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import type { components } from '../../api/schema.ts';
import type { HistoryEntry } from '../../chart/history.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/** One extension of a licence, as the ledger recorded it. */
export interface PaidRenewal {
  readonly at: string;
  readonly updateId: string;
  readonly offset: number | undefined;
  /** Until when the licence was valid from then on; undefined where its contract is not known any more. */
  readonly validUntil: string | undefined;
  /** What was asked for; undefined to those whose operations do not tell. */
  readonly renewal: Renewal | undefined;
}

async function validUntilOf(contractId: string, signal: AbortSignal): Promise<string | null> {
  const { data } = await read('/contracts/{contractId}', { path: { contractId } }, signal);
  const { expiresAt } = data.payload as Readonly<Record<string, unknown>>;
  return typeof expiresAt === 'string' ? expiresAt : null;
}

interface Settled {
  readonly updateId: string;
  readonly renewal: Renewal;
}

/** The renewal that an operation of ours has offered, once it is settled. */
async function settledBy(commandId: string, signal: AbortSignal): Promise<Settled | null> {
  const { data: operation } = await read('/operations', { query: { commandId } }, signal);
  const contractId = operation.result?.exercised?.result;
  if (operation.operation !== 'renew-license' || typeof contractId !== 'string') return null;
  const asked = { path: { contractId } };
  const [renewal, history] = await Promise.all([
    read('/license-renewal-requests/{contractId}', asked, signal),
    read('/license-renewal-requests/{contractId}/history', asked, signal),
  ]);
  const end = history.data.find(({ kind }) => kind === 'ledger.renewalCompleted');
  return end?.updateId === undefined ? null : { updateId: end.updateId, renewal: renewal.data };
}

const isOffer = ({ kind }: HistoryEntry): boolean => kind === 'license.renew';

/**
 * What a licence was renewed by, oldest first. The ledger's own record of it comes from the licence's history. What it
 * cost is told by the operations that offered it, which are the provider's.
 */
export function usePaidRenewals(entries: readonly HistoryEntry[] | undefined) {
  const extensions = (entries ?? []).filter(({ kind }) => kind === 'ledger.licenseRenewed');
  const commandIds = [
    ...new Set((entries ?? []).filter(isOffer).flatMap(({ commandId }) => commandId ?? [])),
  ];
  const validity = useQueries({
    queries: extensions.map(({ contractId = '' }) => ({
      queryKey: ['valid-until', contractId],
      queryFn: ({ signal }: { signal: AbortSignal }) => validUntilOf(contractId, signal),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const settled = useQuery<readonly (Settled | null)[], ProblemError>({
    queryKey: ['settled', commandIds, extensions.length],
    queryFn: ({ signal }) => Promise.all(commandIds.map((id) => settledBy(id, signal))),
    enabled: commandIds.length > 0,
  });
  const bySettlement = new Map(
    (settled.data ?? []).flatMap((one) => (one === null ? [] : [[one.updateId, one.renewal]])),
  );
  return extensions.map(({ at, updateId = '', offset }, index): PaidRenewal => ({
    at,
    updateId,
    offset,
    validUntil: validity[index]?.data ?? undefined,
    renewal: bySettlement.get(updateId),
  }));
}
