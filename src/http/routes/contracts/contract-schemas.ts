import { Type } from '@fastify/type-provider-typebox';
import {
  component,
  openObject,
  optionalInteger,
  optionalText,
  nullableText,
} from '../../kit/schema.ts';

/* Answers about choices, and about contracts that represent no lifecycle. Objects are open: see `schemas.ts`. */

export const LicenseComment = component('LicenseComment', {
  contractId: Type.String({ description: 'The ID of the comment', examples: ['00a1b2c3'] }),
  provider: Type.String(),
  user: Type.String(),
  licenseNum: Type.Integer({ examples: [1] }),
  commenter: Type.String({ description: 'The author: the user or the provider' }),
  body: Type.String({ examples: ['Extended by phone on Monday.'] }),
  createdAt: Type.String({
    format: 'date-time',
    description: 'Ledger time of the request',
    examples: ['2026-01-31T12:00:00.000000Z'],
  }),
  licenseLifecycleId: nullableText({
    description:
      'The licence of the comment. `null`: another client of the ledger made the comment, which may belong to any licence with this number and these parties',
    examples: ['license-a1b2c3d4e5f60718293a'],
  }),
});

const offset = Type.Integer({
  description: 'The offset on the participant whose update stream Tenure reads',
  examples: [42],
});

export const Contract = component('Contract', {
  contractId: Type.String({ examples: ['00a1b2c3'] }),
  templateId: Type.String({
    description:
      'The template with its package name; an interface if only a view of the contract is known',
    examples: ['#quickstart-licensing:Licensing.License:License'],
  }),
  packageId: Type.String(),
  payload: openObject({}),
  signatories: Type.Array(Type.String()),
  observers: Type.Array(Type.String()),
  createdAt: Type.String({ examples: ['2026-01-31T12:00:00.000000Z'] }),
  createdAtOffset: offset,
  isActive: Type.Boolean(),
  archivedAt: optionalText(),
  archivedAtOffset: Type.Optional(offset),
  lifecycleId: optionalText(),
  version: optionalInteger('The version of the lifecycle; also the entity tag'),
  state: optionalText('The state of the lifecycle', 'active'),
});

export const Exercised = component('Exercised', {
  updateId: nullableText(),
  offset,
  result: Type.Unsafe<unknown>({ description: 'In the query store’s encoding' }),
});
