/* Numbers, dates and plurals in the language of the catalogue. No other file of the application formats them. */

const LANGUAGE = 'en';
/** Dates have the day before the month. */
const DATES = 'en-GB';

const NUMBERS = {
  plain: {},
  /** All digits that an amount on the ledger can have. */
  exact: { maximumFractionDigits: 10 },
  tenths: { maximumFractionDigits: 1 },
  oneDecimal: { minimumFractionDigits: 1, maximumFractionDigits: 1 },
  rough: { maximumSignificantDigits: 2 },
  twoDigits: { minimumIntegerDigits: 2 },
  percent: { style: 'percent', maximumFractionDigits: 1 },
} as const satisfies Readonly<Record<string, Intl.NumberFormatOptions>>;

const DAY = { month: 'short', day: 'numeric' } as const;
const MINUTE = { hour: '2-digit', minute: '2-digit' } as const;
const SECOND = { ...MINUTE, second: '2-digit' } as const;

const TIMES = {
  exact: { year: 'numeric', ...DAY, ...SECOND, timeZoneName: 'short' },
  short: { year: 'numeric', ...DAY, ...MINUTE },
  clock: SECOND,
  minute: MINUTE,
  day: DAY,
  month: { month: 'short' },
  monthAndYear: { year: 'numeric', month: 'short' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** Makes each formatter only once, because making one takes longer than formatting all values of a page. */
function once<Format>(make: (key: string) => Format): (key: string) => Format {
  const made = new Map<string, Format>();
  return (key) => {
    const format = made.get(key) ?? make(key);
    made.set(key, format);
    return format;
  };
}

const numberFormat = once(
  (as) => new Intl.NumberFormat(LANGUAGE, NUMBERS[as as keyof typeof NUMBERS]),
);
const unitFormat = once(
  (unit) => new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit, unitDisplay: 'long' }),
);
const timeFormat = once((key) => {
  const [as = '', timeZone] = key.split(' ');
  const format = TIMES[as as keyof typeof TIMES];
  return new Intl.DateTimeFormat(DATES, timeZone === undefined ? format : { ...format, timeZone });
});
const relativeFormat = new Intl.RelativeTimeFormat(LANGUAGE, { style: 'narrow' });
const rules = new Intl.PluralRules(LANGUAGE);
const collator = new Intl.Collator(LANGUAGE, { numeric: true });

/** Returns a number with separators: "1,234". A string may have more digits than a number can hold. */
export const numberText = (value: number | string, as: keyof typeof NUMBERS = 'plain'): string =>
  numberFormat(as).format(value as number | Intl.StringNumericLiteral);

/** Returns an instant in a time zone; without one, in that of the browser. */
export const timeText = (atMs: number, as: keyof typeof TIMES, timeZone?: string): string =>
  timeFormat(timeZone === undefined ? as : `${as} ${timeZone}`).format(atMs);

/** Returns a distance from now: "3m ago", "in 2d". */
export const relativeText = (count: number, unit: Intl.RelativeTimeFormatUnit): string =>
  relativeFormat.format(count, unit);

/** Returns a count of a unit of time: "30 days". */
export const unitText = (count: string, unit: string): string =>
  unitFormat(unit).format(count as Intl.StringNumericLiteral);

/** Returns the form of a word for a count: "operation" for 1, "operations" for others. */
export const plural = (
  count: number,
  forms: { readonly one: string; readonly other: string },
): string => (rules.select(count) === 'one' ? forms.one : forms.other);

/** Returns a count with the form of its word: "1,234 operations". */
export const counted = (count: number, one: string, other: string): string =>
  `${numberText(count)} ${plural(count, { one, other })}`;

/** Compares texts for sorting: "No. 9" comes before "No. 10". */
export const compareTexts = (a: string, b: string): number => collator.compare(a, b);

/** Returns the name of this browser's time zone. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
