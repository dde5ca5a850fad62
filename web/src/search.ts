/* All search parameters of pages' addresses. Unknown parameters are dropped. */

export type RawSearch = Readonly<Record<string, unknown>>;

/** Returns a parameter as text, even if the router has parsed it as a number or boolean. */
const text = (search: RawSearch, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** Old names of parameters, which bookmarks and saved views of older versions may contain. */
const OLD_NAMES: Readonly<Record<string, readonly string[]>> = {
  since: ['newerThan', 'from'],
  until: ['olderThan'],
  subject: ['by'],
};

/** Returns a function that reads these parameters. */
const texts =
  <Names extends string>(...names: readonly Names[]) =>
  (search: RawSearch): Texts<Names> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const named = [name, ...(OLD_NAMES[name] ?? [])];
        const [value] = named.flatMap((one) => text(search, one) ?? []);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as Texts<Names>;

/** Parameters that every list has: its cursor, the number of rows before the page, its order and the hidden columns. */
const LISTED = ['cursor', 'skip', 'sort', 'hide'] as const;

export const readLogin = texts('error', 'returnTo');
export const readList = texts(
  ...LISTED,
  'q',
  'state',
  'ended',
  'user',
  'provider',
  'lapsesWithin',
  'act',
);
/** Parameters of a list with a search; `party` is the party with which the list's form starts. */
export const readCustomers = texts(...LISTED, 'q', 'act', 'party');
export const readPayments = texts(...LISTED, 'state', 'user', 'since');
export const readStatistics = texts('since');
export const readPlans = texts(...LISTED, 'archived', 'act');
/** Parameters of a page that has only a search. */
export const readWords = texts('q');
/** Parameters of the page of one object: its open dialog, and the selected point of its history. */
export const readDetail = texts('act', 'at', 'cursor');
export const readOperations = texts(
  'state',
  'class',
  'code',
  'party',
  'lifecycleId',
  'contractId',
  'commandId',
  'until',
  'since',
  'subject',
  'policy',
  'operation',
  'failure',
  'order',
  ...LISTED,
);
/** Parameters of the page of items that need a person: the range of time of its charts. */
export const readAttention = texts('range');
export const readFailures = texts('state', 'operation', 'code', 'cursor');
export const readLifecycles = texts('kind', 'state', 'party', 'until', 'cursor');
export const readTimers = texts('kind', 'state', 'cursor');
export const readCosts = texts('since', 'until', 'party', 'operation', 'groupBy', 'cursor');
export const readAudit = texts('subject', 'act', 'object', 'since', 'cursor');
export const readSessions = texts('subject', 'party', 'cursor');
export const readCursor = texts(...LISTED, 'act');

/** Returns the parameters with changes. A list then starts at its first page. */
export function merged(
  before: Readonly<Record<string, string | undefined>>,
  over: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const all = { ...before, cursor: null, skip: null, ...over };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
