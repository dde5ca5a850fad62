import { expect, test } from 'vitest';
import { judgeTenants } from '../../../src/doctor/judge-tenants.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Party } from '../../../src/domain/ids.ts';

const [KNOWN, LOST] = ['alice::1220', 'party-123456'].map((party) => trusted<Party>(party));
const tenant = (tenantId: string, party: Party | undefined) => ({ tenantId, party: party! });

test('a tenant whose party is on no participant is named, with what to do', () => {
  const hosted = new Map([
    [KNOWN!, true],
    [LOST!, false],
  ]);
  expect(judgeTenants([tenant('Alice', KNOWN)], hosted)).toMatchObject([{ level: 'well' }]);
  const findings = judgeTenants([tenant('Alice', KNOWN), tenant('Lost', LOST)], hosted);
  expect(findings).toMatchObject([{ area: 'ledger', level: 'wrong' }]);
  expect(findings[0]?.what).toContain(
    'no participant hosts party-123456, the party of tenant Lost',
  );
});

test('what no participant tells us is not taken for wrong', () => {
  expect(judgeTenants([tenant('Alice', KNOWN)], new Map())).toMatchObject([{ level: 'unseen' }]);
});
