import { Type } from 'typebox';
import { SHORT_DURATION } from './short-duration.ts';

/* Kinds of settings: each function returns the schema of a value with its description. */

export const port = (options: { default?: number; description: string }) =>
  Type.Integer({ minimum: 0, maximum: 65_535, ...options });
export const text = (options: { default?: string; description: string }) =>
  Type.String({ minLength: 1, ...options });
export const days = (options: { default: number; description: string }) =>
  Type.Integer({ minimum: 0, maximum: 36_500, ...options });
export const limit = (maximum: number, options: { default: number; description: string }) =>
  Type.Integer({ minimum: 0, maximum, ...options });
export const duration = (options: { default: string; description: string }) =>
  Type.String({ pattern: SHORT_DURATION, must: 'be a duration such as PT10S', ...options });
export const url = (
  schemes: readonly string[],
  options: { default?: string; description: string },
) =>
  Type.String({
    pattern: `^(${schemes.join('|')})://`,
    must: `begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    ...options,
  });

/* Kinds of settings that may be absent. */

export const optionalText = (description: string) => Type.Optional(text({ description }));
export const optionalHttp = (description: string) =>
  Type.Optional(url(['http', 'https'], { description }));
export const optionalDatabase = (description: string) =>
  Type.Optional(url(['postgres', 'postgresql'], { description }));
