import { useState } from 'react';
import type { components } from '../../../../client/schema.ts';
import { useOpenAct } from './actions.tsx';
import { renewalScope } from '../../parts/renewal-phase.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/**
 * The renewal whose dialog is open. It stays while its dialog does, also once it is settled and has left its list: the
 * dialog says what came of it.
 */
export function useActing(renewals: readonly Renewal[]): Renewal | null {
  const [act] = useOpenAct();
  const [kept, setKept] = useState<Renewal | null>(null);
  const isMeant = (one: Renewal): boolean => act?.startsWith(renewalScope(one)) === true;
  const found = renewals.find(isMeant);
  if (found !== undefined && found !== kept) setKept(found);
  return found ?? (kept !== null && isMeant(kept) ? kept : null);
}

/** The same renewals, and the one whose dialog is open. */
export function useWithActing(renewals: readonly Renewal[]): readonly Renewal[] {
  const acting = useActing(renewals);
  const isThere = renewals.some(({ contractId }) => contractId === acting?.contractId);
  return acting === null || isThere ? renewals : [...renewals, acting];
}
