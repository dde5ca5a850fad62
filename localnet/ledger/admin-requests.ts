import type { LedgerError } from './ledger-error.ts';

/**
 * Returns a function that tells which fields an update mask names. A path names all fields below it.
 * @param fields the fields that a mask can name, without those that contain other fields
 * @param refuse returns the error for an invalid mask
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
 * Returns whether an update changes a field. If the mask names only a path above the field, and the request has the
 * field's default value, the field keeps its value.
 */
export type UpdateMask = (field: string, isDefault: boolean) => boolean;
