/*
 * All search parameters of the addresses of pages. Unknown ones are dropped.
 */

export type RawSearch = Readonly<Record<string, unknown>>;

/** A text, however the router has read it from the address. */
const text = (search: RawSearch, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** Names that bookmarks and saved views of older versions may have. */
const OLD_NAMES: Readonly<Record<string, readonly string[]>> = {
  since: ['newerThan', 'from'],
  until: ['olderThan'],
  subject: ['by'],
};

/** A reader of these parameters. */
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

/** What the address says of every list: its page, the rows before that page, its order and the columns left out. */
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
/** A list that is searched by words, and the party that its form begins with. */
export const readCustomers = texts(...LISTED, 'q', 'act', 'party');
export const readPayments = texts(...LISTED, 'state', 'user', 'since');
export const readStatistics = texts('since');
export const readPlans = texts(...LISTED, 'archived', 'act');
/** A page that is searched by words of its own. */
export const readWords = texts('q');
/** A page of one thing: the dialog that is open on it, and the point of its history that is looked at. */
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
/** The range of the rates. */
export const readAttention = texts('range');
export const readFailures = texts('state', 'operation', 'code', 'cursor');
export const readLifecycles = texts('kind', 'state', 'party', 'until', 'cursor');
export const readTimers = texts('kind', 'state', 'cursor');
export const readCosts = texts('since', 'until', 'party', 'operation', 'groupBy', 'cursor');
export const readAudit = texts('subject', 'act', 'object', 'since', 'cursor');
export const readSessions = texts('subject', 'party', 'cursor');
export const readCursor = texts(...LISTED, 'act');

/** Returns the earlier search with changes; a list starts at its first page then. */
export function merged(
  before: Readonly<Record<string, string | undefined>>,
  over: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const all = { ...before, cursor: null, skip: null, ...over };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
