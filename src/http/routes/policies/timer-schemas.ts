import { Type } from '@fastify/type-provider-typebox';
import { TIMER_STATES } from '../../../app/ports/policies.ts';
import { TIMER_KINDS } from '../../../domain/automatic.ts';
import { component, optionalText } from '../../kit/schema.ts';

/* Schemas of answers about timers: see `schemas.ts`. */

const of = {
  lifecycleId: Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] }),
  contractId: Type.String(),
  user: Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] }),
  licenseNum: Type.Integer({ examples: [7] }),
};

export const ExpiryPreview = component('ExpiryPreview', {
  ...of,
  expiresAt: Type.String({ examples: ['2026-01-31T12:00:00.000001Z'] }),
  verdict: Type.Unsafe<string>({
    type: 'string',
    enum: ['due', 'later', 'never'],
    description:
      'due: it ends as soon as the policy lets anything end. later: at `at`, should nothing change. never: not by this policy',
  }),
  at: optionalText('The time from which the licence is due'),
  why: Type.String({
    examples: ['a renewal of the licence is open until 2026-02-01T00:00:00.000Z'],
  }),
  heldBy: optionalText('The reason why the policy ends nothing at this moment', 'dry-run'),
});

export const TimerSchema = component('Timer', {
  ...of,
  kind: Type.Unsafe<string>({
    type: 'string',
    enum: [...TIMER_KINDS],
    description: 'expire: a licence lapses. withdraw: the window of a renewal closes',
  }),
  provider: Type.String(),
  lapsesAt: Type.String(),
  openUntil: optionalText('When its last open renewal closes'),
  neverRenewed: Type.Boolean(),
  state: Type.Unsafe<string>({
    type: 'string',
    enum: [...TIMER_STATES],
    description:
      'given-up: no policy tries again before it lapses at another time, or is set going again with `:rearm`',
  }),
  generation: Type.Integer({
    description: 'Changes of a policy that have failed, for whichever reason',
  }),
  notBefore: optionalText('Wall time, after a failure'),
  operationId: optionalText('The change that a policy made of it'),
});
