import type { LedgerError } from './ledger-error.ts';

/**
 * Fields that an update mask names: a path stands for all fields below it.
 *
 * @param fields those that can be named, leaves only
 * @param refuse makes the error of a mask that is none
 */
export function readMask(
  mask: readonly string[],
  fields: readonly string[],
  refuse: (reason: string) => LedgerError,
): UpdateMask {
  if (mask.length === 0) throw refuse('The update mask contains no entries');
  const isNamed = (path: string, field: string) => field === path || field.startsWith(`${path}.`);
  for (const path of mask) {
    if (!fields.some((field) => isNamed(path, field))) {
      throw refuse(`The update path: '${shortened(path)}' points to an unknown field.`);
    }
  }
  const repeated = mask.find((path, index) => mask.indexOf(path) !== index);
  if (repeated !== undefined) {
    throw refuse(`The update path: '${shortened(repeated)}' is duplicated.`);
  }
  return (field, isDefault) =>
    mask.includes(field) || (!isDefault && mask.some((path) => isNamed(path, field)));
}

const shortened = (text: string): string => (text.length > 53 ? `${text.slice(0, 50)}...` : text);

/**
 * Whether an update is to change a field. One that is named by a path above it keeps its value when the request has
 * the default one.
 */
export type UpdateMask = (field: string, isDefault: boolean) => boolean;
