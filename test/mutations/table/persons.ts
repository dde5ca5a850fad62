import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* What persons do: one by one, in bulk, and what they are shown. */

export const PERSONS: readonly Mutation[] = [
  {
    name: 'bulk-of-others',
    file: 'src/store/desk/bulk-judgement.ts',
    find: `const meant = meantChanges({ scope, filter,`,
    put: `const meant = meantChanges({ scope: { ...scope, of: 'provider' }, filter,`,
    breaks: 'an act of a tenant is about what was asked of it, and not about what it has asked for',
    found: test(
      'integration',
      'integration/http-bulk-tenants',
      'it means what the tenant has asked for',
    ),
  },
  {
    name: 'bulk-by-any-person',
    file: 'src/store/desk/bulk-acts.ts',
    find: 'where a.token_hash = $1 and a.by_party = $2 and a.by_subject = $3 and a.tenant_id = $4',
    put: 'where a.token_hash = $1 and a.by_party = $2 and $3::text is not null and $4::text is not null',
    breaks: 'a preview is applied by another person than the one who has seen it',
    found: test(
      'integration',
      'integration/http-bulk',
      'worked off in the order of the lane, each once',
    ),
  },
  {
    name: 'bulk-of-any-number',
    file: 'src/store/desk/bulk-acts.ts',
    find: 'if (now !== row.count) {',
    put: 'if (now < 0) {',
    breaks: 'an act is applied to another number of operations than was previewed',
    found: test(
      'integration',
      'integration/http-bulk',
      'a filter that means another number by now',
    ),
  },
  {
    name: 'bulk-twice',
    file: 'src/store/desk/bulk-acts.ts',
    find: `from owner, act where i.act_id = act.id and i.n = $3 and i.state = 'waiting'`,
    put: `from owner, act where i.act_id = act.id and i.n = $3`,
    breaks: 'an item that was worked off is worked off again',
    found: test('integration', 'integration/store', 'each item is done once, by whoever holds'),
  },
  {
    name: 'bulk-goes-on',
    file: 'src/store/desk/bulk-acts.ts',
    find: `update bulk_act set worked_at = now() where id = $2 and state = 'running' returning id`,
    put: `update bulk_act set worked_at = now() where id = $2 returning id`,
    breaks: 'an act that was stopped goes on',
    found: test('integration', 'integration/store', 'each item is done once, by whoever holds'),
  },
  {
    name: 'bulk-head-first',
    file: 'src/store/desk/bulk-acts.ts',
    find: `const way = sql.raw(row.action === 'cancel' ? 'desc' : 'asc');`,
    put: `const way = sql.raw('asc');`,
    breaks: 'a cancelled head gives its turn to what is to be cancelled next',
    found: test('integration', 'integration/http-bulk', 'a bulk cancel empties a lane'),
  },
  {
    name: 'cancel-what-was-accepted',
    file: 'src/app/desk/cancel-change.ts',
    find: 'if (change.acceptance !== null) {',
    put: 'if (change.state === null) {',
    breaks: 'an operation that the ledger has accepted is said to be cancelled',
    found: test(
      'integration',
      'integration/http-ops-acts',
      'is refused of what the ledger has accepted',
    ),
  },
  {
    name: 'retry-without-end',
    file: 'src/app/desk/retry-change.ts',
    find: 'if (retries.length >= LIMITS.retriesMax) {',
    put: 'if (retries.length < 0) {',
    breaks: 'an operation is tried again more often than allowed',
    found: test(
      'integration',
      'integration/http-ops-acts',
      'once there have been as many as there may be',
    ),
  },
  {
    name: 'decide-without-record',
    file: 'src/app/desk/decide-doubt.ts',
    find: `act: 'decided',`,
    put: `act: '',`,
    breaks: 'nobody can read later that a person has decided',
    found: test(
      'integration',
      'integration/doubts',
      'an attempt that can still be sequenced keeps',
    ),
  },
  {
    name: 'resolved-for-ever',
    file: 'src/store/engine/save.ts',
    find: `and d.state = 'resolved' and d.reopened_at is null\``,
    put: `and d.state = 'ignored' and d.reopened_at is null\``,
    breaks: 'a failure that was resolved happens again, and nobody sees it',
    found: test(
      'integration',
      'integration/ops-desk',
      'that are resolved come back when they happen again',
    ),
  },
  {
    name: 'search-of-others',
    file: 'src/store/engine/ops-scope.ts',
    find: `ofChange(of === 'provider' ? 'c.provider' : 'c.caller_party', '=', party)`,
    put: `ofChange('c.id', 'is not', null)`,
    breaks: 'operators of a tenant find what others have asked for',
    found: test('integration', 'integration/ops-search'),
  },
  {
    name: 'drained-is-stopped',
    file: 'src/store/engine/pauses.ts',
    find: `(p.mode = 'pause' or \${e}.made_at > p.since)`,
    put: `true`,
    breaks: 'what was under way when something was drained does not go on',
    found: test('integration', 'integration/store', 'what drains lets go on'),
  },
  {
    name: 'paused-too-late',
    file: 'src/store/engine/pauses.ts',
    find: '  session.send(HOLD, []);\n',
    put: '',
    breaks: 'what was on the queue when something was paused is submitted all the same',
    found: test('integration', 'integration/store', 'is not dispatched until it is let go'),
  },
];
