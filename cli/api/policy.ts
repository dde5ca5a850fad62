import type { PolicyName } from '../../src/domain/automatic.ts';
import { POLICY_NAMES } from '../../src/domain/automatic.ts';
import type { ApiGroup, Option } from './description.ts';

/** Commands that read policies: `/policies`. `policy set` is defined elsewhere, because it replaces a whole policy. */
export const POLICY: ApiGroup = {
  name: 'policy',
  about: 'what happens by itself: licences that end, renewals that complete',
  commands: [
    {
      usage: 'show <kind>',
      about: 'a policy as it is',
      choices: { kind: POLICY_NAMES },
      path: '/policies/{kind}',
      examples: ['policy show expiry', 'policy show renewal --json'],
    },
    {
      usage: 'pending <kind>',
      about: 'whether a confirmed policy still waits before it acts, and for how long',
      choices: { kind: POLICY_NAMES },
      path: '/policies/{kind}/pending',
      examples: ['policy pending expiry'],
    },
    {
      usage: 'preview',
      about: 'what the expiry policy would end, when and why, and what not and why not',
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
      about: 'dry-run: what would end is listed, and nothing ends',
      choices: ['off', 'dry-run', 'on'],
    },
    {
      flags: '--grace <duration>',
      about: 'how long after its end a licence is left alone: 12h, 3d, P3D',
      isAge: true,
    },
    {
      flags: '--include-never-renewed <boolean>',
      about: 'whether licences end that nobody has ever paid for',
      choices: YES_NO,
    },
    {
      flags: '--include-suspended <boolean>',
      about: 'whether licences end that you have suspended',
      choices: YES_NO,
    },
    {
      flags: '--quiet-hours <hours...>',
      about: 'when nothing ends: 22:00-06:00@Europe/Zurich; none: always',
    },
    {
      flags: '--paused <boolean>',
      about: 'nothing new ends; what is on its way goes on',
      choices: YES_NO,
    },
    { flags: '--max-in-flight <count>', about: 'expiries on their way at once' },
  ],
  renewal: [
    {
      flags: '--complete <boolean>',
      about: 'complete a renewal as soon as an allocation pays it',
      choices: YES_NO,
    },
    {
      flags: '--withdraw-lapsed <boolean>',
      about: 'withdraw a renewal whose window has closed without one',
      choices: YES_NO,
    },
  ],
};
