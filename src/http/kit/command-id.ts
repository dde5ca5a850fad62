import { OWN_COMMAND_PREFIX, isLedgerString, parseCommandId } from '../../domain/ids.ts';
import type { CommandId } from '../../domain/ids.ts';
import { fail } from '../../domain/problems.ts';

const FIELD = { extra: { field: 'commandId' } };

/**
 * Returns the text in a header, without the quotation marks of a structured-field string if there are any. The header's
 * draft requires them.
 */
const bare = (header: string): string =>
  header.length >= 2 && header.startsWith('"') && header.endsWith('"')
    ? header.slice(1, -1)
    : header;

/**
 * Returns the parameter as given. It need not be the command ID of any change.
 *
 * @throws ProblemError `COMMAND_ID_MISSING`, or `COMMAND_ID_INVALID` if it is given more than once
 */
export function givenCommandId(parameter: unknown): string {
  if (Array.isArray(parameter)) {
    return fail('COMMAND_ID_INVALID', `Parameter 'commandId' is given more than once.`, FIELD);
  }
  if (typeof parameter === 'string') return parameter;
  // This text must equal the text of the reference application, because clients search for it.
  return fail('COMMAND_ID_MISSING', `Required parameter 'commandId' is not present.`, FIELD);
}

/** Returns the text of the header `Idempotency-Key`. */
export function keyIn(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(',') : header;
  return key === undefined ? undefined : bare(key);
}

/**
 * Returns the command ID that the caller gives its change: query parameter `commandId` or header `Idempotency-Key`. If
 * both are given they must be equal, because the caller may later look the change up under either.
 *
 * @param inBody the command ID in the body, on routes that accept one there
 * @throws ProblemError `COMMAND_ID_MISSING`, `COMMAND_ID_INVALID`
 */
export function readCommandId(
  parameter: unknown,
  idempotencyKey: string | string[] | undefined,
  inBody?: string,
): CommandId {
  const key = keyIn(idempotencyKey);
  const given = givenCommandId(parameter ?? key ?? inBody);
  if (key !== undefined && key !== given) {
    return fail('COMMAND_ID_INVALID', 'Idempotency-Key and commandId differ', FIELD);
  }
  if (inBody !== undefined && inBody !== given) {
    return fail('COMMAND_ID_INVALID', 'commandId is given twice, and differently', FIELD);
  }
  if (!isLedgerString(given)) {
    return fail(
      'COMMAND_ID_INVALID',
      'commandId must be 1 to 255 of the letters A-Z and a-z, digits, # : - _ / and space',
      FIELD,
    );
  }
  if (given.startsWith(OWN_COMMAND_PREFIX)) {
    return fail('COMMAND_ID_INVALID', `commandId must not begin with ${OWN_COMMAND_PREFIX}`, FIELD);
  }
  return parseCommandId(given);
}
