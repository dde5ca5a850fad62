import { fail } from '../../domain/problems.ts';

/**
 * @param field the member, parameter or header that is wrong
 * @param message what of it, as the sentence goes on after its name
 * @throws ProblemError `REQUEST_INVALID` that names the field
 */
export function invalid(field: string, message: string): never {
  return fail('REQUEST_INVALID', `${field} ${message}`, { extra: { field } });
}
