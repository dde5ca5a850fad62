import type { Asked } from '../../api/client.ts';
import { SEVERAL, listed } from '../../parts/flags.ts';
import { shortTime } from '../../parts/time.tsx';
import { durationWords, operationName } from '../../parts/words.ts';
import type { readOperations } from '../../search.ts';
import { preferences } from '../../preferences.ts';
import { CLASSES, POLICIES, STATES } from './desk-words.ts';

/* The filter of operations, in the forms of the page's address and of the API. Lists are separated by commas. */

export type OpsSearch = ReturnType<typeof readOperations>;

type CommandsQuery = NonNullable<Asked<'/ops/operations'>['query']>;

/** The filter without the order and the position of the list. */
export type OpsFilter = Omit<OpsSearch, 'order' | 'cursor' | 'skip' | 'sort' | 'hide'>;
export type FilterName = keyof OpsFilter;

export const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  state: 'State',
  class: 'Answer',
  operation: 'Operation',
  code: 'Code',
  party: 'Party',
  lifecycleId: 'Lifecycle',
  contractId: 'Contract',
  commandId: 'Command',
  until: 'Older than',
  since: 'Newer than',
  subject: 'Requested by',
  policy: 'Policy',
  failure: 'Failure',
};

const NAMES = Object.keys(FILTER_WORDS) as readonly FilterName[];

export const filterIn = (search: OpsSearch): OpsFilter =>
  Object.fromEntries(
    NAMES.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );

/** Returns the filter in the API's form, for a query or the body of a bulk act. */
export const asQuery = (filter: OpsFilter): CommandsQuery =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      SEVERAL.has(name) ? listed(value) : value,
    ]),
  );

export const isEmpty = (filter: OpsFilter): boolean => Object.keys(filter).length === 0;

const WORDS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  state: new Map(STATES),
  class: new Map(CLASSES),
  policy: new Map(POLICIES),
};

const HEAD = 26;

/** Returns a value of the filter in words for people. */
export function valueWords(name: FilterName, value: string): string {
  if (name === 'operation') return operationName(value);
  const words = WORDS[name]?.get(value);
  if (words !== undefined) return words;
  if (name === 'until' || name === 'since') {
    return value.startsWith('P') ? durationWords(value) : shortTime(value, preferences.get().zone);
  }
  if (name === 'party') return value.split('::')[0] ?? value;
  return value.length > HEAD + 4 ? `${value.slice(0, HEAD)}…` : value;
}

/** Returns the filter as a sentence. */
export const filterSentence = (filter: OpsFilter): string =>
  isEmpty(filter)
    ? 'all operations'
    : NAMES.flatMap((name) => {
        const value = filter[name];
        if (value === undefined) return [];
        const values = SEVERAL.has(name) ? listed(value) : [value];
        const words = values.map((one) => {
          const said = valueWords(name, one);
          return SEVERAL.has(name) || name === 'policy' ? said.toLowerCase() : said;
        });
        return [`${FILTER_WORDS[name].toLowerCase()} ${words.join(' or ')}`];
      }).join(', ');

/** Converts the filter of an act that was carried out to a filter with the names that the page's address uses. */
export function filterOfAct(told: Readonly<Record<string, unknown>>): OpsFilter {
  const names: Readonly<Record<string, FilterName>> = {
    states: 'state',
    classes: 'class',
    operations: 'operation',
    lifecycle: 'lifecycleId',
    before: 'until',
    from: 'since',
    by: 'subject',
  };
  const pairs = Object.entries(told).flatMap(([name, value]): [string, string][] => {
    if (name === 'command' && typeof value === 'object' && value !== null) {
      const { id, prefix } = value as { readonly id?: string; readonly prefix?: string };
      return [['commandId', id ?? `${prefix ?? ''}*`]];
    }
    const known = names[name] ?? name;
    if (!NAMES.some((one) => one === known)) return [];
    return [[known, Array.isArray(value) ? value.join(',') : String(value)]];
  });
  return Object.fromEntries(pairs);
}
