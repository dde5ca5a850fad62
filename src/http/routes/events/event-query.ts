import { isEventPattern } from '../../../domain/event.ts';
import type { LifecycleId } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { invalid } from '../../kit/invalid.ts';
import { isStorable } from '../../kit/json-body.ts';
import { textOf } from '../../kit/list-query.ts';

const INT64_MAX = 2n ** 63n - 1n;

function readNumber(text: string, field: string): bigint {
  const found = /^\d{1,19}$/u.test(text) ? BigInt(text) : -1n;
  return found >= 0n && found <= INT64_MAX ? found : invalid(field, 'must be the id of an event');
}

/**
 * Returns the number of the event after which a stream begins; `null` means the newest event. The header
 * `Last-Event-ID` of a reconnecting browser overrides the parameter.
 */
export function readPosition(
  lastEventId: string | string[] | undefined,
  query: Readonly<Record<string, unknown>>,
): bigint | null {
  const header = typeof lastEventId === 'string' ? lastEventId.trim() : '';
  if (header !== '') return readNumber(header, 'Last-Event-ID');
  const after = textOf(query, 'after');
  return after === undefined ? null : readNumber(after, 'after');
}

/** Checks the types in a query or a body. @throws ProblemError `REQUEST_INVALID` if no event has one of the types */
export function checkEventTypes(types: readonly string[], field: string): readonly string[] {
  if (types.length > HTTP_LIMITS.eventTypesMax) {
    return invalid(field, `must name at most ${HTTP_LIMITS.eventTypesMax} types`);
  }
  const unknown = types.find((type) => !isEventPattern(type));
  if (unknown === undefined) return types;
  return invalid(
    field,
    'must name types of events, such as tenure.operation.succeeded or tenure.lifecycle.*',
  );
}

export const readEventTypes = (query: Readonly<Record<string, unknown>>): readonly string[] =>
  checkEventTypes(textOf(query, 'type')?.split(',') ?? [], 'type');

export function readLifecycleId(query: Readonly<Record<string, unknown>>): LifecycleId | null {
  const text = textOf(query, 'lifecycleId');
  if (text === undefined) return null;
  if (isStorable(text) && text.length <= HTTP_LIMITS.pathIdCharsMax)
    return trusted<LifecycleId>(text);
  return invalid('lifecycleId', 'is not an id');
}
