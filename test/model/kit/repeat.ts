import type { RunDetails } from 'fast-check';

/*
 * Repeats random runs of fast-check: a failure names the variables to set. MODEL_RUNS alone increases the number of
 * runs.
 */

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY } = process.env;

/** The settings from the environment for the runs of this process. */
export const repeated = {
  run: {
    ...(MODEL_RUNS === undefined ? {} : { numRuns: Number(MODEL_RUNS) }),
    ...(MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) }),
    ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
  },
  commands: MODEL_REPLAY === undefined ? {} : { replayPath: MODEL_REPLAY },
};

const REPLAY = /\/\*replayPath="(?<path>[^"]*)"\*\//u;

/** Describes the commands of a run, one per line. A command describes itself after it has run. */
function linesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) {
    return [...(value as Iterable<unknown>)].flatMap(linesOf);
  }
  if ((value as { hasRan?: boolean }).hasRan === false) return [];
  return [`  - ${String(value)}`];
}

/** Fails with a description of the shortest failing run, and with the variables that repeat it. */
export const telling =
  (file: string) =>
  <T>({ failed, counterexample, ...details }: RunDetails<T>): void => {
    if (!failed) return;
    const { seed, counterexamplePath, numShrinks, errorInstance } = details;
    const replay = REPLAY.exec(String(counterexample))?.groups?.['path'];
    const variables = [
      `MODEL_SEED=${seed}`,
      `MODEL_PATH=${counterexamplePath}`,
      ...(replay === undefined ? [] : [`MODEL_REPLAY=${replay}`]),
    ];
    const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    const text = [
      reason,
      '',
      `The shortest run that was found (shortened ${numShrinks} times):`,
      ...(counterexample === null ? [] : linesOf(counterexample)),
      '',
      `Again: ${variables.join(' ')} vitest run --project model ${file}`,
    ];
    throw new Error(text.join('\n'), { cause: errorInstance });
  };
