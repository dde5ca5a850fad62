import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/** Mistakes by which one tenant takes what is another's, or the engine's. */
export const TENANTS: readonly Mutation[] = [
  {
    name: 'quota-of-each-request-alone',
    file: 'src/app/engine/record-change.ts',
    find: '    this.#quotas.add(pending);\n',
    put: '',
    breaks: 'a tenant whose requests share a transaction has no quota',
    found: test('integration', 'integration/http-quotas', 'requests of one transaction'),
  },
  {
    name: 'quota-of-traffic-from-the-last-read-alone',
    file: 'src/app/engine/traffic.ts',
    find: 'bytes: settled + found.bytes,',
    put: 'bytes: found.bytes,',
    breaks: 'a tenant has its quota of traffic again every few seconds',
    found: test('integration', 'integration/http-quotas', 'used the traffic of a day'),
  },
  {
    name: 'quota-one-too-many',
    file: 'src/app/engine/quotas.ts',
    find: 'use.openOperations >= openOperations',
    put: 'use.openOperations > openOperations',
    breaks: 'a tenant has more open operations than its quota',
    found: test('integration', 'integration/http-quotas', 'a tenant has as many'),
  },
  {
    name: 'turns-by-subject',
    file: 'src/domain/turns.ts',
    find: 'rotate(this.#tenants, party, subjects, subjects.size === 0);',
    put: 'if (subjects.size === 0) this.#tenants.delete(party);',
    breaks: 'a tenant with many subjects goes ahead of all others',
    found: test('unit', 'unit/domain/turns', 'tenants take turns'),
  },
  {
    name: 'share-kept-by-failed-call',
    file: 'src/store/sql/shares.ts',
    find: 'if (!share.waiting.remove(of, resolve)) leave();',
    put: 'if (share.waiting.size > 1_000_000) leave();',
    breaks: 'the turn of a call that was given up comes, and nobody gives it back',
    found: test('integration', 'integration/connection-shares', 'tenants take turns'),
  },
  {
    name: 'reads-in-the-share-of-the-engine',
    file: 'src/http/kit/request-context.ts',
    find: "share: isSafeMethod(method) ? 'reads' : 'writes',",
    put: "share: isSafeMethod(method) ? 'engine' : 'writes',",
    breaks: 'callers’ reads take the connections of the engine',
    found: test('integration', 'integration/http-greedy-tenant', 'reads that hold all'),
  },
  {
    name: 'rate-by-subject-alone',
    file: 'src/http/kit/rate-limits.ts',
    find: "{ policy: 'tenant', key: party, quota: limits.perTenant },",
    put: "{ policy: 'tenant', key: `${party} ${subject}`, quota: limits.perTenant },",
    breaks: 'a tenant that makes up subjects has no limit',
    found: test('integration', 'integration/http-protection', 'of a tenant are'),
  },
  {
    name: 'summary-of-another-scope',
    file: 'src/http/routes/ops/summaries.ts',
    find: 'const scope = `${of} ${party}`;',
    put: 'const scope = `${party.slice(0, 0)}${of.slice(0, 0)}`;',
    breaks: 'an operator sees the digest of another scope',
    found: test('integration', 'integration/http-attention', 'one reading serves all'),
  },
  {
    name: 'limit-not-divided',
    file: 'src/main/callers.ts',
    find: 'return Math.ceil(limit / processes);',
    put: 'return Math.ceil(limit);',
    breaks: 'every process gives the whole limit',
    found: test('unit', 'unit/http/tenant-limits', 'processes divide a limit'),
  },
];
