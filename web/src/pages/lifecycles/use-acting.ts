import { useState } from 'react';
import type { components } from '../../../../client/schema.ts';
import { useOpenAct } from './actions.tsx';
import { renewalScope } from '../../parts/renewal-phase.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/**
 * Returns the renewal whose dialog is open. The renewal is kept while the dialog is open, even after it was settled and
 * has left the list, because the dialog shows the result.
 */
export function useActing(renewals: readonly Renewal[]): Renewal | null {
  const [act] = useOpenAct();
  const [kept, setKept] = useState<Renewal | null>(null);
  const isMeant = (one: Renewal): boolean => act?.startsWith(renewalScope(one)) === true;
  const found = renewals.find(isMeant);
  if (found !== undefined && found !== kept) setKept(found);
  return found ?? (kept !== null && isMeant(kept) ? kept : null);
}

/** Returns the given renewals, plus the one whose dialog is open. */
export function useWithActing(renewals: readonly Renewal[]): readonly Renewal[] {
  const acting = useActing(renewals);
  const isThere = renewals.some(({ contractId }) => contractId === acting?.contractId);
  return acting === null || isThere ? renewals : [...renewals, acting];
}
