import { table } from '../cli/table.ts';

/*
 * Computes the needs of a deployment from the measured rows of one operation: `node bench/plan.ts` prints the table of
 * docs/SCALING.md. A test compares the page with it.
 */

/** KiB an operation, rows and indexes, by how long retention keeps them: `node bench/storage.bench.ts 1000000`. */
const KIB = {
  /** Operations, history, lifecycles with what leads to them, and contracts that are active. */
  forEver: 11,
  /** Attempts, the outbox, and bodies of what succeeded: 90 days. */
  changes: 1.7,
  /** Events: 30 days. */
  events: 2.9,
  /** Archived contracts, exercises, updates: 400 days. */
  contracts: 6.2,
} as const;
const DAYS = { changes: 90, events: 30, contracts: 400 } as const;
/** PostgreSQL's log of an operation, with whole pages. */
const LOG_KIB = 60;
/** A renewal is two operations; a fifth of the licences is new each year, and a tenth ends or changes otherwise. */
const OPERATIONS_A_YEAR = 2.3;
const YEARS = 5;
const YEAR_DAYS = 365;
/** The part of a day's operations that comes in its busiest hour. */
const PEAK = 0.1;
const HOUR_S = 3_600;
/** Bytes of traffic an operation, and what a million of them costs: see docs/SCALING.md for where these are from. */
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

/** Returns the GiB of one cell after a number of years with a number of operations a day. */
function storedGib(aDay: number): number {
  const sliding =
    KIB.changes * DAYS.changes + KIB.events * DAYS.events + KIB.contracts * DAYS.contracts;
  return (aDay * (KIB.forEver * YEAR_DAYS * YEARS + sliding)) / GIB_OF_KIB;
}

/** Two digits, in groups of three: it is no more exact than that. */
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

/** The table, as the page has it. */
export const planTable = (): string =>
  [HEADING, HEADING.map(() => '---'), ...STAGES.map(line)].map(row).join('\n');

if (import.meta.main)
  console.log(
    table(
      HEADING,
      STAGES.map((stage) => [...line(stage)]),
    ),
  );
