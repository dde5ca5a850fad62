import type { PolicyName } from '../../src/domain/automatic.ts';
import { POLICY_NAMES } from '../../src/domain/automatic.ts';
import type { ApiGroup, Option } from './description.ts';

/** Commands that read policies: `/policies`. `policy set` is defined elsewhere, because it replaces a whole policy. */
export const POLICY: ApiGroup = {
  name: 'policy',
  about: 'policies: automatic expiry of licences and automatic completion of renewals',
  commands: [
    {
      usage: 'show <kind>',
      about: 'show a policy',
      choices: { kind: POLICY_NAMES },
      path: '/policies/{kind}',
      examples: ['policy show expiry', 'policy show renewal --json'],
    },
    {
      usage: 'pending <kind>',
      about: 'show whether a confirmed policy has not started yet, and when it starts',
      choices: { kind: POLICY_NAMES },
      path: '/policies/{kind}/pending',
      examples: ['policy pending expiry'],
    },
    {
      usage: 'preview',
      about:
        'list the licences that the expiry policy would end, with times and reasons, and those it would not',
      path: '/policies/expiry/preview',
      isPaged: true,
      columns: [
        ['licence', 'lifecycleId', 'whole'],
        ['verdict', 'verdict', 'state'],
        ['expires', 'expiresAt', 'time'],
        ['at', 'at', 'time'],
        ['why', 'why'],
        ['held by', 'heldBy'],
        ['number', 'licenseNum', 'whole'],
        ['user', 'user'],
      ],
      none: 'no licences',
      examples: ['policy preview', 'policy preview --all --json'],
    },
  ],
};

const YES_NO = ['true', 'false'] as const;

/**
 * Options for the members of policies, by kind of policy. Booleans need a value, because a member can be set to either.
 */
export const POLICY_MEMBERS: Readonly<Record<PolicyName, readonly Option[]>> = {
  expiry: [
    {
      flags: '--mode <mode>',
      about: 'off, on, or dry-run: the policy lists licences but ends none',
      choices: ['off', 'dry-run', 'on'],
    },
    {
      flags: '--grace <duration>',
      about: 'the grace period after the expiry of a licence: 12h, 3d, P3D',
      isAge: true,
    },
    {
      flags: '--include-never-renewed <boolean>',
      about: 'whether the policy ends licences that were never paid for',
      choices: YES_NO,
    },
    {
      flags: '--include-suspended <boolean>',
      about: 'whether the policy ends suspended licences',
      choices: YES_NO,
    },
    {
      flags: '--quiet-hours <hours...>',
      about:
        'hours in which the policy ends no licence: 22:00-06:00@Europe/Zurich; none: no such hours',
    },
    {
      flags: '--paused <boolean>',
      about: 'pause the policy: it starts no new expiry; running expiries continue',
      choices: YES_NO,
    },
    { flags: '--max-in-flight <count>', about: 'the maximum number of concurrent expiries' },
  ],
  renewal: [
    {
      flags: '--complete <boolean>',
      about: 'complete a renewal as soon as it is paid by an allocation',
      choices: YES_NO,
    },
    {
      flags: '--withdraw-lapsed <boolean>',
      about: 'withdraw a renewal that was not completed in time',
      choices: YES_NO,
    },
  ],
};
