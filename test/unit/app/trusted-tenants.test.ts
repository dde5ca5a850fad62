import { beforeEach, expect, test } from 'vitest';
import type { Tenants } from '../../../src/app/ports/tenants.ts';
import { createTrustedTenants } from '../../../src/app/callers/trusted-tenants.ts';
import type { TrustedTenants } from '../../../src/app/callers/trusted-tenants.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { Tenant } from '../../../src/domain/tenant.ts';

const tenant = (tenantId: string): Tenant => ({
  tenantId,
  party: trusted<Party>('p::1220aa'),
  walletUrl: null,
  clientId: tenantId,
  issuerUrl: `http://${tenantId}.example`,
  internal: false,
  users: [],
});
const io = { signal: new AbortController().signal, deadlineMs: 1_000 };

let nowMs: number;
let reads: number;
let table: Tenant[];
/** The database's answers that are held back, in the order of the queries; `null` if none are held back. */
let held: (() => void)[] | null;
let known: TrustedTenants;

beforeEach(() => {
  nowMs = 0;
  reads = 0;
  table = [tenant('a')];
  held = null;
  const tenants: Tenants = {
    async list() {
      reads += 1;
      const found = [...table];
      if (held !== null) await new Promise<void>((resolve) => held?.push(resolve));
      return found;
    },
    byId: async (id) => table.find(({ tenantId }) => tenantId === id) ?? null,
    async add(added) {
      table.push(added);
      return 'added';
    },
    async remove(id) {
      table = table.filter(({ tenantId }) => tenantId !== id);
      return 'removed';
    },
  };
  known = createTrustedTenants({ tenants, nowMs: () => nowMs });
});

const ids = async (wanted: string): Promise<string[]> =>
  (await known.find(({ tenantId }) => tenantId === wanted)).map(({ tenantId }) => tenantId);

test('a second of requests costs one read', async () => {
  await Promise.all(Array.from({ length: 20 }, () => ids('a')));
  nowMs += LIMITS.tenantsAgeMsMax - 1;
  expect(await ids('a')).toEqual(['a']);
  expect(reads).toBe(1);
  table = [];
  nowMs += 1;
  expect(await ids('a')).toEqual([]);
});

test('who is not known is looked for at once, but not on anybody’s word at any time', async () => {
  await ids('a');
  table.push(tenant('b'));
  nowMs += LIMITS.tenantsAgeMsMin;
  expect(await ids('b')).toEqual(['b']);
  for (let n = 0; n < 50; n += 1) await ids('nobody');
  expect(reads).toBe(2);
});

test('a change of this process is seen by the next request, also if a read was under way', async () => {
  await ids('a');
  await known.registrations.add(tenant('b'), io);
  expect(await ids('b')).toEqual(['b']);
  nowMs += LIMITS.tenantsAgeMsMax;
  held = [];
  const early = ids('b');
  await known.registrations.remove('b', io);
  const late = ids('b');
  for (const answer of held.splice(0)) answer();
  held = null;
  expect(await early).toEqual(['b']);
  expect(await late).toEqual([]);
  expect(await ids('b')).toEqual([]);
});

test('a read that fails is not remembered', async () => {
  const failing = createTrustedTenants({
    tenants: {
      list: async () => {
        reads += 1;
        if (reads === 1) throw new Error('away');
        return table;
      },
      byId: async () => null,
      add: async () => 'added',
      remove: async () => 'unknown',
    },
    nowMs: () => nowMs,
  });
  await expect(failing.find(() => true)).rejects.toThrow('away');
  expect(await failing.find(() => true)).toHaveLength(1);
});
