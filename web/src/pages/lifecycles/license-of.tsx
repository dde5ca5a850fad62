import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { licenseName } from '../../parts/license-words.ts';
import { PATHS } from '../../paths.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/** A link to the licence of a renewal. */
export function LicenseOf({ renewal }: { readonly renewal: Renewal }) {
  const id = renewal.licenseLifecycleId;
  if (id === null) return 'not known: any licence with this number is possible';
  return (
    <Link to={PATHS.license} params={{ contractId: id }} title={id}>
      {licenseName(renewal)}
    </Link>
  );
}
