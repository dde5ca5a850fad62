import type { ValidationQuestion } from '../../../domain/license-validation.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { invalid } from '../../kit/invalid.ts';
import { isStorable } from '../../kit/json-body.ts';
import { optionalText } from '../../kit/schema.ts';
import { Type } from '@fastify/type-provider-typebox';
import type { QuestionBody } from './validation-schemas.ts';

/** Returns the question that a body contains. Its schema has been checked. */
export const questionIn = ({ machine, entitlements }: QuestionBody): ValidationQuestion => ({
  fingerprint: machine ?? null,
  entitlements: entitlements ?? [],
});

/** Query parameters of a question, for the API document. */
export const ValidationQuery = Type.Object({
  machine: optionalText('The fingerprint of a machine'),
  entitlement: optionalText('An entitlement that the program needs; may be repeated'),
});

const textsIn = (value: unknown): readonly string[] =>
  value === undefined ? [] : [value].flat().map(String);

/** Returns the question that a query string contains. */
export function questionFrom(query: Readonly<Record<string, unknown>>): ValidationQuestion {
  const { fingerprintCharsMax, entitlementsAskedMax } = HTTP_LIMITS;
  const [machine, ...more] = textsIn(query['machine']);
  if (more.length > 0) invalid('machine', 'may be given once');
  const isUsable =
    machine === undefined ||
    (machine !== '' && machine.length <= fingerprintCharsMax && isStorable(machine));
  if (!isUsable) invalid('machine', `must have 1 to ${fingerprintCharsMax} characters`);
  const entitlements = textsIn(query['entitlement']);
  if (entitlements.length > entitlementsAskedMax)
    invalid('entitlement', `may be given at most ${entitlementsAskedMax} times`);
  return { fingerprint: machine ?? null, entitlements };
}
