import { fail } from '../../domain/problems.ts';

/**
 * Refuses a request because of one of its values.
 *
 * @param field the invalid member, parameter or header
 * @param message the end of a sentence that begins with the field's name
 * @throws ProblemError `REQUEST_INVALID` that names the field
 */
export function invalid(field: string, message: string): never {
  return fail('REQUEST_INVALID', `${field} ${message}`, { extra: { field } });
}
