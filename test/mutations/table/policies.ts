import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Mutations of code for confirmations of irreversible acts: previews, tokens, the delay of a policy, and its undo. */

const inDelay = (name: string) => test('integration', 'integration/http-policy-delay', name);

export const POLICIES: readonly Mutation[] = [
  {
    name: 'policy-token-of-any-policy',
    file: 'src/app/desk/confirm-act.ts',
    find: 'hashOf(canonicalJson([act, on]))',
    put: 'hashOf(canonicalJson([act, on === null]))',
    breaks: 'a token confirms another policy than the one that was previewed',
    found: inDelay('is refused with another body'),
  },
  {
    name: 'policy-token-of-anybody',
    file: 'src/store/desk/previews.ts',
    find: 'and by_party = $4 and by_subject = $5 and tenant_id = $6',
    put: 'and by_party = $4 and $5::text is not null and $6::text is not null',
    breaks: 'an act is confirmed by another person than the one who has seen its preview',
    found: inDelay('is refused with another caller'),
  },
  {
    name: 'policy-token-for-ever',
    file: 'src/store/desk/previews.ts',
    find: 'and expires_at > now()\n',
    put: '\n',
    breaks: 'an act is confirmed long after its preview',
    found: inDelay('is refused with the token of another version'),
  },
  {
    name: 'policy-any-count',
    file: 'src/app/desk/confirm-act.ts',
    find: 'if (count === confirmation.count) return undefined;',
    put: 'if (count >= 0) return undefined;',
    breaks: 'the number that a person types is not the number of the preview',
    found: inDelay('is refused with another number'),
  },
  {
    name: 'policy-shorter-grace-unasked',
    file: 'src/domain/expiry-policy.ts',
    find: 'after.graceMs < before.graceMs ||',
    put: 'false ||',
    breaks: 'a shorter grace ends licences at once, and nobody confirms it',
    found: inDelay('is judged by moments'),
  },
  {
    name: 'policy-after-a-renewal-unasked',
    file: 'src/app/desk/change-policy.ts',
    find: 'ever + afterChange > 0',
    put: 'ever + 0 * afterChange > 0',
    breaks: 'a policy that ends licences after their next renewal is set without a preview',
    found: inDelay('only after a renewal or another change'),
  },
  {
    name: 'policy-never-renewed-unasked',
    file: 'src/app/desk/change-policy.ts',
    find: 'if (neverRenewed === 0 || confirmation?.includeNeverRenewed === true) return;',
    put: 'if (neverRenewed === 0 || confirmation !== undefined) return;',
    breaks: 'licences that were never renewed end without a word of the confirmation',
    found: inDelay('leaves licences alone that were never renewed'),
  },
  {
    name: 'policy-delay-not-in-force',
    file: 'src/store/policies/policies.ts',
    find: 'case when p.starts_at > now() then 0 else e.version end',
    put: 'e.version',
    breaks: 'an expiry is recorded while the policy can still be undone',
    found: inDelay('does nothing before its delay has passed'),
  },
  {
    name: 'policy-delay-of-earlier-versions',
    file: 'src/store/policies/policies.ts',
    find: 'held: (policy) => ({ ...policy, paused: true }),',
    put: 'held: (policy) => policy,',
    breaks: 'a process of an earlier version ends licences while the policy can still be undone',
    found: inDelay('does nothing before its delay has passed'),
  },
  {
    name: 'policy-delay-cut-short',
    file: 'src/store/policies/policies.ts',
    find: 'Math.max(leftMs, confirmed?.delayMs ?? 0)',
    put: 'Math.max(0, confirmed?.delayMs ?? 0)',
    breaks: 'a later version ends the delay of the one that was confirmed',
    found: inDelay('does nothing before its delay has passed'),
  },
  {
    name: 'policy-undo-after-start',
    file: 'src/store/policies/policies.ts',
    find: 'pending?.version === version && pending.starts_in_ms > 0',
    put: 'pending?.version === version',
    breaks: 'a policy is undone that has ended licences',
    found: inDelay('is undone neither after its delay'),
  },
  {
    name: 'policy-undo-of-another-version',
    file: 'src/store/policies/policies.ts',
    find: `if (before.version !== version) return { end: 'changed', version: before.version };`,
    put: `if (before.version < version) return { end: 'changed', version: before.version };`,
    breaks: 'the undo of a version is answered as if no other had been set since',
    found: inDelay('is undone neither after its delay'),
  },
  {
    name: 'policy-clock-does-not-wait',
    file: 'src/ops/policy-clock.ts',
    find: 'Math.max(0, startsInMs ?? 0)',
    put: 'Math.min(0, startsInMs ?? 0)',
    breaks: 'the clock asks for expiries that are refused for as long as the policy waits',
    found: test('unit', 'unit/ops/policy-times', 'lets nothing end before its start'),
  },
];
