import type { FilterField } from '../../src/domain/change-filter.ts';
import { CHANGE_FILTER } from '../../src/domain/change-filter.ts';
import type { Option } from './description.ts';

const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

function optionOf(field: FilterField): Option {
  const { name, about, value, kind } = field;
  const isListed = kind === 'one' || (kind === 'several' && field.isUnlisted !== true);
  return {
    flags: `${flagOf(name)} <${value}${kind === 'several' ? '...' : ''}>`,
    about,
    ...(isListed ? { choices: field.values } : {}),
    ...(kind === 'age' ? { isAge: true } : {}),
  };
}

/** The filters of operations: the same for a search, for counts and for bulk acts. */
export const FILTER: readonly Option[] = Object.values(CHANGE_FILTER).map(optionOf);
