import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/*
 * Mutations of code about the audit log: its rows can only be added, they are chained, and the doctor detects all other
 * writes.
 */

const MIGRATION = 'migrations/0058_audit_chain.sql';
/** The tests of this file depend on each other, so no single test is named. */
const chain = test('integration', 'integration/audit-chain');
const sealed = test('integration', 'integration/sealed-secrets');

export const AUDIT: readonly Mutation[] = [
  {
    name: 'audit-row-outside-its-hash',
    file: 'src/store/rows/audit-row.ts',
    find: 'a.to_state, a.reason, a.detail, a.of_party)',
    put: 'a.to_state, a.reason, a.of_party)',
    breaks: 'a change of what was done to what is not seen in the chain',
    found: chain,
  },
  {
    name: 'audit-chained-from-the-newest-on',
    file: 'src/store/desk/audit-chain.ts',
    find: 'where a.id > h.settled_id and not exists',
    put: 'where a.id > (select coalesce(max(audit_id), 0) from audit_link) and not exists',
    breaks: 'a row of a transaction that commits late is in no chain',
    found: chain,
  },
  {
    name: 'audit-pruned-without-its-hash',
    file: 'src/store/desk/retention.ts',
    find: 'set deleted_seq = g.seq, deleted_hash = g.hash,',
    put: 'set deleted_seq = g.seq,',
    breaks: 'the chain does not hold once retention has deleted its beginning',
    found: chain,
  },
  {
    name: 'audit-deleted-by-anybody',
    file: MIGRATION,
    find: 'if place <= (select c.deleted_seq from audit_chain c) then return old; end if;',
    put: 'return old;',
    breaks: 'the database lets rows of the audit log be deleted',
    found: chain,
  },
  {
    name: 'refusals-without-bound',
    file: 'src/ops/refusals.ts',
    find: '|| this.#counted.size < OPS_LIMITS.refusalsMax',
    put: '|| this.#counted.size >= 0',
    breaks: 'a caller that makes up subjects fills the audit log',
    found: test('unit', 'unit/ops/refusals', 'makes no more rows'),
  },
  {
    name: 'sealed-for-any-row',
    file: 'src/domain/sealing.ts',
    find: 'createCipheriv(ALGORITHM, current.key, iv).setAAD(Buffer.from(place))',
    put: 'createCipheriv(ALGORITHM, current.key, iv).setAAD(Buffer.from(place.slice(0, 7)))',
    breaks: 'a secret that was sealed opens in no row',
    found: sealed,
  },
  {
    name: 'rotation-leaves-clear-rows',
    file: 'src/store/callers/secrets.ts',
    find: 'where secret not like $1 or previous_secret not like $1',
    put: `where starts_with(secret, 'sealed:') and secret not like $1`,
    breaks: 'secrets of the release before stay in clear',
    found: sealed,
  },
  {
    name: 'audit-end-cut-off',
    file: 'src/doctor/judge-audit.ts',
    find: 'if (this.#at.seq !== last.seq) {',
    put: 'if (this.#at.seq > last.seq) {',
    breaks: 'the newest rows can be deleted unseen',
    found: chain,
  },
];
