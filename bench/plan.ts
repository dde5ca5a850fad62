import { table } from '../cli/table.ts';

/*
 * Computes what a deployment needs, from the measured rows of one operation. `node bench/plan.ts` prints the table of
 * docs/SCALING.md. A test compares the document with it.
 */

/**
 * KiB of rows and indexes per operation, by the time for which retention keeps them. They were measured with `node
 * bench/storage.bench.ts 1000000`.
 */
const KIB = {
  /** Rows that are kept for ever: operations, history, lifecycles with their lineage, and active contracts. */
  forEver: 11,
  /** Rows that are kept for 90 days: attempts, the outbox, and request bodies of successful operations. */
  changes: 1.7,
  /** Rows that are kept for 30 days: events. */
  events: 2.9,
  /** Rows that are kept for 400 days: archived contracts, exercises, and updates. */
  contracts: 6.2,
} as const;
const DAYS = { changes: 90, events: 30, contracts: 400 } as const;
/** KiB of PostgreSQL's write-ahead log per operation, with full-page images. */
const LOG_KIB = 60;
/**
 * The number of operations per licence and year. A renewal takes two operations. In a year, a fifth of the licences are
 * new, and a tenth end or change in another way.
 */
const OPERATIONS_A_YEAR = 2.3;
const YEARS = 5;
const YEAR_DAYS = 365;
/** The share of a day's operations that are requested in its busiest hour. */
const PEAK = 0.1;
const HOUR_S = 3_600;
/**
 * Bytes of traffic per operation. After it comes the price of a million bytes. docs/SCALING.md names the sources of
 * both.
 */
const TRAFFIC_BYTES = 18_000;
const USD_A_MB = 60;

const GIB_OF_KIB = 2 ** 20;

interface Stage {
  readonly providers: number;
  readonly licenses: number;
}

const STAGES: readonly Stage[] = [
  { providers: 1, licenses: 1_000 },
  { providers: 1, licenses: 10_000 },
  { providers: 1, licenses: 100_000 },
  { providers: 10, licenses: 1_000_000 },
  { providers: 100, licenses: 10_000_000 },
  { providers: 1_000, licenses: 100_000_000 },
];

/** Returns how many GiB one cell stores after `YEARS` years with this number of operations per day. */
function storedGib(aDay: number): number {
  const sliding =
    KIB.changes * DAYS.changes + KIB.events * DAYS.events + KIB.contracts * DAYS.contracts;
  return (aDay * (KIB.forEver * YEAR_DAYS * YEARS + sliding)) / GIB_OF_KIB;
}

/**
 * Returns a number with two significant digits, because the computation is not more exact, and with its digits in
 * groups of three.
 */
function rounded(value: number): string {
  const exact = value >= 10 ? Number(value.toPrecision(2)) : Number(value.toFixed(2));
  return exact.toLocaleString('en', { maximumFractionDigits: 2 });
}

function line({ providers, licenses }: Stage): readonly string[] {
  const aDay = (licenses * OPERATIONS_A_YEAR) / YEAR_DAYS;
  const ofCell = aDay / providers;
  return [
    providers.toLocaleString('en'),
    licenses.toLocaleString('en'),
    rounded(aDay),
    rounded((aDay * PEAK) / HOUR_S),
    rounded((ofCell * PEAK) / HOUR_S),
    rounded(storedGib(ofCell)),
    rounded(storedGib(aDay)),
    rounded((aDay * LOG_KIB) / GIB_OF_KIB),
    rounded(((aDay * TRAFFIC_BYTES) / 1e6) * USD_A_MB),
  ];
}

const HEADING = [
  'Providers = cells',
  'Licences',
  'Operations a day',
  'a second in the busiest hour',
  'of one cell',
  `GiB of a cell after ${YEARS} years`,
  'of all',
  'Log, GiB a day',
  'Traffic, USD a day',
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Returns the table as the document contains it. */
export const planTable = (): string =>
  [HEADING, HEADING.map(() => '---'), ...STAGES.map(line)].map(row).join('\n');

if (import.meta.main)
  console.log(
    table(
      HEADING,
      STAGES.map((stage) => [...line(stage)]),
    ),
  );
