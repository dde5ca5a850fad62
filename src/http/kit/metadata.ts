import type { JsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { invalid } from './invalid.ts';

function readText(value: unknown, field: string): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return invalid(field, 'must be a text, a number or a boolean');
  }
  const text = String(value);
  if (text.length <= LIMITS.metadataTextCharsMax) return text;
  return invalid(field, `must have at most ${LIMITS.metadataTextCharsMax} characters`);
}

/**
 * Reads metadata as the reference does: every value becomes a text. Absent metadata is empty.
 *
 * @param meta shaped `{data?: {key: text | number | boolean}}`; other members do not count
 * @param at where it stands in the body, for messages
 * @throws ProblemError `REQUEST_INVALID` that names the entry
 */
export function readMetadata(
  meta: { readonly data?: Readonly<Record<string, unknown>> } | undefined,
  at: string,
): JsonRecord {
  const entries = Object.entries(meta?.data ?? {});
  if (entries.length > LIMITS.metadataEntriesMax) {
    invalid(`${at}.data`, `must have at most ${LIMITS.metadataEntriesMax} entries`);
  }
  const data = entries.map(([key, value]) => {
    if (key.length > LIMITS.metadataTextCharsMax) {
      invalid(`${at}.data`, `must have keys of at most ${LIMITS.metadataTextCharsMax} characters`);
    }
    return [key, readText(value, `${at}.data.${key}`)] as const;
  });
  return { data: Object.fromEntries(data) };
}
