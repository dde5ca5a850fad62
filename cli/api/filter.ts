import type { FilterField } from '../../src/domain/change-filter.ts';
import { CHANGE_FILTER } from '../../src/domain/change-filter.ts';
import { renamedOn } from '../../src/domain/renamed.ts';
import type { Option } from './description.ts';
import { flagOf, nameOf } from './names.ts';

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

/** Returns the old names of a command's options, as options. They work until the sunset. */
export const oldOptionsOf = (path: string, options: readonly Option[]): readonly Option[] =>
  renamedOn(path).flatMap(({ was, is, values }) =>
    options
      .filter(({ flags }) => nameOf(flags) === is)
      .map((now) => ({
        ...now,
        flags: now.flags.replace(/^--[a-z-]+/u, flagOf(was)),
        isOld: true,
        ...(values === undefined ? {} : { choices: Object.keys(values) }),
      })),
  );

const NEW: readonly Option[] = Object.values(CHANGE_FILTER).map(optionOf);

/** The filters of operations. They are the same for a search, for counts and for bulk acts. */
export const FILTER: readonly Option[] = [...NEW, ...oldOptionsOf('/ops/operations/preview', NEW)];
