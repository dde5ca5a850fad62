import { signal } from '../../signal.ts';
import type { OpsSearch } from './filter.ts';

/* Saved views of the operations: each is an address with a name. */

export interface View {
  readonly name: string;
  readonly search: OpsSearch;
}

/** Views that every operator has; `subject` is the identity of the viewer. */
export const builtIn = (subject: string): readonly View[] => [
  { name: 'All', search: {} },
  { name: 'In doubt', search: { state: 'in-doubt', sort: 'acceptedAt' } },
  { name: 'Retrying', search: { state: 'retrying', sort: 'acceptedAt' } },
  { name: 'Open for an hour', search: OPEN_LONG },
  { name: 'Failed today', search: { state: 'failed,rejected', since: 'PT24H' } },
  { name: 'Mine', search: { subject } },
];

const OPEN_LONG: OpsSearch = {
  state: 'queued,submitting,retrying,in-doubt',
  until: 'PT1H',
  sort: 'acceptedAt',
};

const KEY = 'tenure.views.operations';
const VIEWS_MAX = 30;

const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'name' in value && 'search' in value;

function stored(): readonly View[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

export const ownViews = signal<readonly View[]>(stored());

function keep(views: readonly View[]): void {
  localStorage.setItem(KEY, JSON.stringify(views));
  ownViews.set(views);
}

/** Keeps a view under its name; one of that name is replaced. */
export const saveView = (view: View): void =>
  keep([...stored().filter(({ name }) => name !== view.name), view].slice(-VIEWS_MAX));

export const deleteView = (name: string): void =>
  keep(stored().filter((view) => view.name !== name));

const textOf = (search: OpsSearch): string =>
  JSON.stringify(
    Object.entries(search)
      .filter(([name, value]) => name !== 'cursor' && value !== undefined)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );

export const isSameView = (a: OpsSearch, b: OpsSearch): boolean => textOf(a) === textOf(b);

addEventListener('storage', ({ key }) => {
  if (key === KEY) ownViews.set(stored());
});
