import { types, type CustomTypesConfig } from 'pg';

/*
 * Parses column values without rounding: offsets exceed the exact range of a JavaScript number, and ledger times have
 * microseconds, which a Date cannot represent.
 */

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const TIMESTAMPTZ_ARRAY = 1185;
const TEXT_ARRAY = 1009;

/** The driver's own parsers. The driver knows more types than its type declarations name. */
const driverParser: (oid: number, format: 'text' | 'binary') => (raw: string) => unknown =
  types.getTypeParser;

const asText = (raw: string): string => raw;
const arrayOf =
  <T>(parse: (raw: string) => T) =>
  (raw: string): (T | null)[] => {
    const elements: unknown = driverParser(TEXT_ARRAY, 'text')(raw);
    if (!Array.isArray(elements)) throw new TypeError('not an array of PostgreSQL');
    return elements.map((element) => (element === null ? null : parse(String(element))));
  };

const PARSERS: ReadonlyMap<number, (raw: string) => unknown> = new Map<
  number,
  (raw: string) => unknown
>([
  [INT8, BigInt],
  [INT8_ARRAY, arrayOf(BigInt)],
  [TIMESTAMPTZ, parseInstant],
  [TIMESTAMPTZ_ARRAY, arrayOf(parseInstant)],
  // The driver would parse these two types in the time zone of this process.
  [DATE, asText],
  [TIMESTAMP, asText],
]);

/**
 * - `int8` → bigint
 * - `timestamptz` → ISO 8601 in UTC, with no fraction, three digits or six: `2025-10-28T16:20:38.735022Z`
 * - `date`, `timestamp` → text as PostgreSQL writes it
 * - `numeric` → text (the driver's own choice), `json`, `jsonb` → parsed, `bytea` → Buffer
 */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    const parser = format === 'binary' ? undefined : PARSERS.get(oid);
    return parser ?? driverParser(oid, format ?? 'text');
  },
};

const INSTANT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d(?::\d\d)?)$/;

/**
 * `2025-10-28 16:20:38.735022+00` → `2025-10-28T16:20:38.735022Z`, in whichever time zone the session is.
 *
 * @throws RangeError for times that ISO 8601 cannot represent: infinity, years before 1 and after 9999, offsets of
 * antiquity
 */
export function parseInstant(raw: string): string {
  const match = INSTANT.exec(raw);
  if (match === null) throw new RangeError(`not an instant between the years 1 and 9999: ${raw}`);
  const [, date = '', time = '', fraction = '', offset = ''] = match;
  const digits = fraction === '' ? '' : `.${fraction.padEnd(fraction.length > 3 ? 6 : 3, '0')}`;
  if (offset === '+00') return `${date}T${time}${digits}Z`;
  // Offsets are whole minutes, so applying an offset does not change the fraction.
  const wholeOffset = offset.includes(':') ? offset : `${offset}:00`;
  const utc = new Date(`${date}T${time}${wholeOffset}`).toISOString().slice(0, 19);
  return `${utc}${digits}Z`;
}
