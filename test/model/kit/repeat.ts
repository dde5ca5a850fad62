import type { RunDetails } from 'fast-check';

/*
 * Repeats a random run of fast-check. The message of a failure contains the variables to set for this. MODEL_RUNS alone
 * increases the number of runs.
 */

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY } = process.env;

/** The settings for fast-check that the environment of this process contains. */
export const repeated = {
  run: {
    ...(MODEL_RUNS === undefined ? {} : { numRuns: Number(MODEL_RUNS) }),
    ...(MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) }),
    ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
  },
  commands: MODEL_REPLAY === undefined ? {} : { replayPath: MODEL_REPLAY },
};

const REPLAY = /\/\*replayPath="(?<path>[^"]*)"\*\//u;

/** Describes the commands of a run, one on each line. After it has run, a command describes what it did. */
function linesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) {
    return [...(value as Iterable<unknown>)].flatMap(linesOf);
  }
  if ((value as { hasRan?: boolean }).hasRan === false) return [];
  return [`  - ${String(value)}`];
}

/**
 * Runs a property. If it fails, throws an error that describes the shortest failing run, with the variables that repeat
 * it.
 */
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
