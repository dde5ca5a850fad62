import { OWN_COMMAND_PREFIX, isLedgerString, parseCommandId } from '../../domain/ids.ts';
import type { CommandId } from '../../domain/ids.ts';
import { fail } from '../../domain/problems.ts';

const FIELD = { extra: { field: 'commandId' } };

/** A structured-field string, `"…"`, as the draft of the header has it, or the bare text. */
const bare = (header: string): string =>
  header.length >= 2 && header.startsWith('"') && header.endsWith('"')
    ? header.slice(1, -1)
    : header;

/**
 * What stands where a commandId is asked for; it may be the name of no change at all.
 *
 * @throws ProblemError `COMMAND_ID_MISSING`, or `COMMAND_ID_INVALID` when it is given more than once
 */
export function givenCommandId(parameter: unknown): string {
  if (Array.isArray(parameter)) {
    return fail('COMMAND_ID_INVALID', `Parameter 'commandId' is given more than once.`, FIELD);
  }
  if (typeof parameter === 'string') return parameter;
  // The reference's very words: its clients look for them.
  return fail('COMMAND_ID_MISSING', `Required parameter 'commandId' is not present.`, FIELD);
}

/** The text of header `Idempotency-Key`. */
export function keyIn(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(',') : header;
  return key === undefined ? undefined : bare(key);
}

/**
 * The caller's name for its change: query parameter `commandId`, or header `Idempotency-Key`. Where both are given they
 * must be the same, or the caller would look for its change under a name that it does not have.
 *
 * @param inBody a member of the body, for the routes that take it there
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
