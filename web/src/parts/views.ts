import type { Signal } from '../signal.ts';
import { signal } from '../signal.ts';

/* Saved views of lists. Each is an address with a name, and is stored in this browser. */

/** The part of an address that describes a list: filters, order and columns. */
export type ListSearch = Readonly<Record<string, string | undefined>>;

export interface View {
  readonly name: string;
  readonly search: ListSearch;
}

const VIEWS_MAX = 30;
/** Parameters that are not part of a view: the position in a list and the open dialog. */
const PASSING: ReadonlySet<string> = new Set(['cursor', 'skip', 'act']);

const keyOf = (list: string): string => `tenure.views.${list}`;

const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'name' in value && 'search' in value;

function stored(list: string): readonly View[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

const shown = new Map<string, Signal<readonly View[]>>();

/** Returns the saved views of a list. */
export function viewsOf(list: string): Signal<readonly View[]> {
  const known = shown.get(list) ?? signal(stored(list));
  shown.set(list, known);
  return known;
}

function keep(list: string, views: readonly View[]): void {
  localStorage.setItem(keyOf(list), JSON.stringify(views));
  viewsOf(list).set(views);
}

/** Saves a view, and replaces a view of the same name. */
export const saveView = (list: string, { name, search }: View): void =>
  keep(
    list,
    [
      ...stored(list).filter((view) => view.name !== name),
      { name, search: Object.fromEntries(partsOf(search)) },
    ].slice(-VIEWS_MAX),
  );

export const deleteView = (list: string, name: string): void =>
  keep(
    list,
    stored(list).filter((view) => view.name !== name),
  );

const partsOf = (search: ListSearch): readonly (readonly [string, string])[] =>
  Object.entries(search).flatMap(([name, value]) =>
    PASSING.has(name) || value === undefined ? [] : [[name, value] as const],
  );

const textOf = (search: ListSearch): string =>
  JSON.stringify(partsOf(search).toSorted(([a], [b]) => a.localeCompare(b)));

export const isSameView = (a: ListSearch, b: ListSearch): boolean => textOf(a) === textOf(b);

addEventListener('storage', ({ key }) => {
  for (const [list, views] of shown) if (key === keyOf(list)) views.set(stored(list));
});
