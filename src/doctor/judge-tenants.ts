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
      `no participant hosts ${party}, the party of tenant ${tenantId}: its people see nothing`,
      'Allocate the party, or delete the tenant and register it with the party as its participant has it.',
    ),
  );
  if (untold.length > 0) {
    findings.push(
      unseen(
        'ledger',
        `parties of tenants of which no participant tells us whether it hosts them: ${untold.length}`,
      ),
    );
  }
  return findings.length === 0
    ? [well('ledger', `the party of every tenant is hosted, ${tenants.length} in all`)]
    : findings;
}
