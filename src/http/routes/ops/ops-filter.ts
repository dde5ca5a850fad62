import type { ChangeFilter, FilterField } from '../../../domain/change-filter.ts';
import { CHANGE_FILTER } from '../../../domain/change-filter.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import { invalid } from '../../kit/invalid.ts';
import type { Member, MembersOf } from '../../kit/filter-query.ts';
import {
  instantOrAge,
  member,
  one,
  parametersOf,
  readFilter,
  text,
  wordOf,
  wordsOf,
} from '../../kit/filter-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { closedObject } from '../../kit/schema.ts';

/*
 * The filter of operations in requests. In a query string, several values of a member are repeated or separated by
 * commas; in a body's object they are an array. Both forms are read here, so that they mean the same.
 */

function memberOf(field: FilterField): Member<unknown> {
  const { name, description } = field;
  switch (field.kind) {
    case 'several':
      return wordsOf(name, field.values, description);
    case 'one':
      return wordOf(name, field.values, { description });
    case 'age':
      return member(name, text(description, field.example), instantOrAge);
    case 'text':
      return member(name, text(description, field.example), (raw) => {
        const given = one(raw, name);
        if (given === undefined) return undefined;
        return field.read(given) ?? invalid(name, `must be ${field.what ?? 'a text'}`);
      });
    default:
      return unreachable(field);
  }
}

/** The members of the filter of operations. */
export const CHANGE_MEMBERS = Object.fromEntries(
  Object.entries(CHANGE_FILTER).map(([to, field]) => [to, memberOf(field)]),
) as MembersOf<ChangeFilter>;

/** The members of the filter as parameters of a query string, and as members of the object `filter` in a body. */
export const OPS_FILTER = parametersOf(CHANGE_MEMBERS);

/** The object `filter` in a body. */
export const OpsFilterBody = closedObject(OPS_FILTER);

/**
 * Reads a filter of operations from a query string or a body's object. Unknown members are ignored here.
 *
 * @param nowMs wall time, from which ages are subtracted
 * @throws ProblemError `REQUEST_INVALID` that names the member
 */
export const readOpsFilter = (raw: Raw, nowMs: number): ChangeFilter =>
  readFilter(CHANGE_MEMBERS, raw, nowMs);
