import type { Party } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Finding } from './findings.ts';
import { unseen, well, wrong } from './findings.ts';

/**
 * Reports whether participants host the parties of tenants.
 *
 * @param hosted whether a participant hosts each party; parties about which nothing is known are omitted
 */
export function judgeTenants(
  tenants: readonly Pick<Tenant, 'tenantId' | 'party'>[],
  hosted: ReadonlyMap<Party, boolean>,
): Finding[] {
  const lost = tenants.filter(({ party }) => hosted.get(party) === false);
  const untold = tenants.filter(({ party }) => !hosted.has(party));
  const findings = lost.map(({ tenantId, party }) =>
    wrong(
      'ledger',
      `no participant hosts ${party}, the party of tenant ${tenantId}; users of this tenant see no licences`,
      'Allocate the party on a participant, or delete the tenant and register the tenant again with a hosted party.',
    ),
  );
  if (untold.length > 0) {
    findings.push(
      unseen(
        'ledger',
        `${untold.length} tenant parties were not checked, because no participant reports whether they are hosted`,
      ),
    );
  }
  return findings.length === 0
    ? [well('ledger', `participants host the parties of all ${tenants.length} tenants`)]
    : findings;
}
