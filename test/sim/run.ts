import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Report } from './kit/report.ts';
import type { Outcome } from './kit/report.ts';
import { SeedProcess } from './kit/seed-process.ts';

/*
 * `make sim`: runs histories on every core until a number of them or a time is reached. Settings in the environment:
 *
 *   SEEDS=3000     number of histories, from seed FROM=1 on
 *   MINUTES=10     longest duration
 *   SEED=17        runs only this history and prints its whole trace
 *   JOBS=2         processes at a time
 *   OUT=folder     folder of the report and the traces
 *   FAILURES=10    stops after this number of failed histories
 *   FAULTS=a,b     only these faults (test/sim/kit/weather.ts)
 *   PLANT=name     plants a bug (test/sim/kit/plants.ts), which should be found
 */

const numberOf = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? '';
  const value = text === '' ? otherwise : Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number: ${text}`);
  return value;
};

const settings = {
  only: process.env['SEED'] === undefined ? null : numberOf('SEED', 1),
  seeds: numberOf('SEEDS', 3_000),
  from: numberOf('FROM', 1),
  minutes: numberOf('MINUTES', 10),
  jobs: numberOf('JOBS', availableParallelism()),
  out: process.env['OUT'] ?? join('.tenure', 'sim'),
  failures: numberOf('FAILURES', 10),
  faults: process.env['FAULTS']?.split(',') ?? null,
  plant: process.env['PLANT'] ?? null,
};

const again = (seed: number): string =>
  [
    ...(settings.plant === null ? [] : [`PLANT=${settings.plant}`]),
    ...(settings.faults === null ? [] : [`FAULTS=${settings.faults.join(',')}`]),
    `SEED=${seed} make sim`,
  ].join(' ');

const tell = (outcome: Outcome): void => {
  console.log(`\nseed ${outcome.seed} breaks the promise; to see it again: ${again(outcome.seed)}`);
  for (const { invariant, what } of outcome.findings.slice(0, 5)) {
    console.log(`  ${invariant}: ${what.slice(0, 600)}`);
  }
};

/** Runs a seed with its trace, and writes the trace to a file. */
async function trace(runner: SeedProcess, seed: number): Promise<Outcome> {
  const { outcome, trace: lines } = await runner.run({
    seed,
    keepTrace: true,
    plant: settings.plant,
    faults: settings.faults,
  });
  if (lines !== null) {
    const file = join(settings.out, `seed-${seed}.log`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    console.log(`seed ${seed}: ${lines.length} lines in ${file}`);
  }
  return outcome;
}

function progress(report: Report, sinceMs: number): void {
  const seconds = ((performance.now() - sinceMs) / 1_000).toFixed(0);
  console.log(`${report.seeds} histories, ${report.failed.length} with findings, ${seconds} s`);
}

async function runMany(report: Report): Promise<void> {
  const sinceMs = performance.now();
  const untilMs = sinceMs + settings.minutes * 60_000;
  let next = settings.from;
  const work = async (): Promise<void> => {
    const runner = new SeedProcess();
    while (next < settings.from + settings.seeds && performance.now() < untilMs) {
      if (report.failed.length >= settings.failures) break;
      const seed = next;
      next += 1;
      const { outcome } = await runner.run({
        seed,
        keepTrace: false,
        plant: settings.plant,
        faults: settings.faults,
      });
      report.add(outcome);
      if (outcome.findings.length > 0) tell(outcome);
    }
    runner.close();
  };
  const timer = setInterval(() => progress(report, sinceMs), 10_000);
  await Promise.all(Array.from({ length: settings.jobs }, work));
  clearInterval(timer);
  report.realMs = performance.now() - sinceMs;
}

mkdirSync(settings.out, { recursive: true });
const report = new Report();
if (settings.only === null) {
  await runMany(report);
  writeFileSync(join(settings.out, 'report.json'), report.toJson());
  writeFileSync(join(settings.out, 'report.md'), report.toMarkdown());
  console.log(`\n${report.toMarkdown()}`);
  const runner = new SeedProcess();
  for (const { seed, digest } of report.failed.slice(0, 3)) {
    const second = await trace(runner, seed);
    if (second.digest !== digest) console.log(`seed ${seed} went another way the second time`);
  }
  runner.close();
} else {
  const runner = new SeedProcess();
  const outcome = await trace(runner, settings.only);
  runner.close();
  report.add(outcome);
  if (outcome.findings.length > 0) tell(outcome);
  console.log(JSON.stringify({ counts: outcome.counts, faults: outcome.injected }, null, 2));
}
process.exitCode = report.failed.length > 0 ? 1 : 0;
