import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { VALIDATION_CODES } from '../../../domain/license-validation.ts';
import { SECRET_SHOWN } from '../../kit/bodies.ts';
import {
  closedObject,
  component,
  openObject,
  optionalText,
  nullableText,
} from '../../kit/schema.ts';
import { HTTP_LIMITS } from '../../limits.ts';

/* Schemas of validations, keys and machines in requests and answers: see `schemas.ts`. */

const textOrNull = (description: string) => nullableText({ description });

const machine = Type.String({
  description: 'The fingerprint of the machine: a text of the program that no other machine has',
  minLength: 1,
  maxLength: HTTP_LIMITS.fingerprintCharsMax,
  examples: ['b7c1f0a2-laptop'],
});
const entitlements = Type.Optional(
  Type.Array(Type.String({ maxLength: HTTP_LIMITS.fingerprintCharsMax }), {
    description:
      'Entitlements that the program needs; a licence without one of them is NOT_ENTITLED',
    maxItems: HTTP_LIMITS.entitlementsAskedMax,
    examples: [['export']],
  }),
);

export const QuestionBody = closedObject({ machine: Type.Optional(machine), entitlements });
export type QuestionBody = Static<typeof QuestionBody>;

export const MachineBody = closedObject({ machine });
export type MachineBody = Static<typeof MachineBody>;

const name = Type.Optional(
  Type.String({
    description: 'A name for people',
    minLength: 1,
    maxLength: HTTP_LIMITS.fingerprintCharsMax,
    examples: ['Laptop of Ada'],
  }),
);

export const ActivationBody = closedObject({ machine, name, entitlements });
export type ActivationBody = Static<typeof ActivationBody>;

export const KeyBody = closedObject({ name });
export type KeyBody = Static<typeof KeyBody>;

export const FileBody = closedObject({ machine: Type.Optional(machine) });
export type FileBody = Static<typeof FileBody>;

const CODE_WORDS = `The reason. VALID, TRIAL and IN_GRACE: the licence is valid.
EXPIRED: its time, with trial and grace, is over. NOT_ACTIVE_YET: it was never paid and has no trial.
SUSPENDED: its provider has suspended it. ENDED: its contract has ended.
NOT_ENTITLED: its plan lacks an entitlement of the question.
MACHINE_NOT_ACTIVATED: the machine holds no seat, and one is free. TOO_MANY_MACHINES: no seat is free.
UNKNOWN_KEY: no licence has this key. KEY_REVOKED: a party of the licence has revoked the key.`;

/** One schema for all answers. Its members can be `null`, because a key may be unknown or revoked. */
export const Validation = component('Validation', {
  valid: Type.Boolean({ description: 'Whether the program may run' }),
  code: Type.Unsafe<string>({ type: 'string', enum: VALIDATION_CODES, description: CODE_WORDS }),
  license: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description:
      'ID and reference are Tenure’s; contract ID, number, provider and user are the contract’s',
    properties: {
      id: { type: 'string' },
      contractId: { type: 'string' },
      licenseNum: { type: 'integer' },
      reference: { type: ['string', 'null'] },
      provider: { type: 'string' },
      user: { type: 'string' },
    },
  }),
  plan: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'From Tenure: the plan and its version under which the licence was sold',
    properties: {
      id: { type: 'string' },
      version: { type: 'integer' },
      name: { type: ['string', 'null'] },
    },
  }),
  entitlements: Type.Record(Type.String(), Type.String(), {
    description:
      'Values by name: from the contract until a renewal names another plan, then from Tenure',
  }),
  termsFrom: nullableText({
    enum: ['contract', 'tenure', null],
    description: 'Where the entitlements and the total of the seats were read',
  }),
  seats: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'From Tenure; the total as entitlements. A total of null: any number of machines',
    properties: { total: { type: ['integer', 'null'] }, used: { type: 'integer' } },
  }),
  machine: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'From Tenure: the machine of the question, and until when it keeps its seat',
    properties: { id: { type: 'string' }, seatUntil: { type: ['string', 'null'] } },
  }),
  suspendedFor: textOrNull('From Tenure: the reason of a suspension'),
  expiresAt: textOrNull('From the contract: when the paid time ends'),
  trialUntil: textOrNull('From Tenure: when the trial ends; null after a payment or without one'),
  graceUntil: textOrNull('From Tenure: when the grace after the paid time ends'),
  ledgerTime: Type.String({ description: 'The ledger time at which the licence was judged' }),
  dataTime: textOrNull('The ledger time up to which Tenure knows the contracts'),
  dataAgeSeconds: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'How far that is behind ledgerTime',
  }),
  checkAgainAt: textOrNull('When the program should ask again'),
});

export const LicenseKeySchema = component('LicenseKey', {
  id: Type.String({ examples: ['key_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b'] }),
  name: Type.String({ examples: ['build server'] }),
  createdBy: Type.String({ description: 'The party that created the key' }),
  createdAt: Type.String(),
  revokedAt: textOrNull('When it was revoked'),
  revokedBy: textOrNull('The party that revoked it'),
  secret: optionalText('The key itself, shown when it is created and never again', 'tlk_…'),
  secretShown: SECRET_SHOWN,
});

export const LicenseMachine = component('LicenseMachine', {
  id: Type.String({ examples: ['machine_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b'] }),
  fingerprint: Type.String(),
  name: Type.String(),
  keyId: Type.String({ description: 'The key that activated it last' }),
  activatedAt: Type.String({ description: 'Ledger time' }),
  seenAt: Type.String({ description: 'Ledger time of the last activation or heartbeat' }),
});

export const JwkSet = component('JwkSet', {
  keys: Type.Array(openObject({}), { description: 'Ed25519 public keys (RFC 8037)' }),
});

export const VALIDATION_SCHEMAS = [Validation, LicenseKeySchema, LicenseMachine, JwkSet] as const;
