import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What a running Tenure tells about itself in its data folder, for `status`, `stop` and the other commands. */
export interface RunState {
  readonly pid: number;
  readonly startedAt: string;
  readonly apiUrl: string;
  /** Where readiness with its reasons and metrics are. Earlier versions do not say, and have both at `apiUrl`. */
  readonly managementUrl?: string;
  /** With user and password; the file is readable by its owner only. */
  readonly databaseUrl: string;
  readonly providerParty: string;
  /** Whether it was started with `TEST_MODE=on`. Earlier versions do not say. */
  readonly testMode?: boolean;
  /** What the embedded parts added to the configuration, secrets among it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The settings that it was started with, secrets among them. Earlier versions do not say. */
  readonly given?: Readonly<Record<string, string>>;
  readonly processes: readonly RunningProcess[];
  /** Where to go, for people: name and address. */
  readonly addresses: readonly { readonly name: string; readonly url: string }[];
  /** `null` unless LocalNet was started along. */
  readonly localnet: LocalnetAddresses | null;
}

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
}

/** What people and commands need of LocalNet. */
export interface LocalnetAddresses {
  readonly providerTokenUrl: string;
  readonly userTokenUrl: string;
  readonly userJsonApiUrl: string;
  /** The validator that serves the user's wallet. */
  readonly userWalletUrl: string;
  /** Where `/control` is. */
  readonly networkUrl: string;
  readonly userParty: string;
  /** In mode shared-secret, where tokens of its authorization server are not taken: what people sign theirs with. */
  readonly sharedSecret: string | null;
}

const fileIn = (dataDir: string): string => join(dataDir, 'run', 'tenure.json');

/** The file says nothing that can be used: it was written by hand, or cut off. */
export class RunStateError extends Error {
  override readonly name = 'RunStateError';
  constructor(path: string) {
    super(
      `${path} is damaged; what runs is not known by it. End what still runs (\`ps\` shows cli/main.ts), delete the file, and start again`,
    );
  }
}

/**
 * `null` when nothing is recorded; the process may still have died since: see `isTenure`.
 *
 * @throws RunStateError
 */
export async function readRunState(dataDir: string): Promise<RunState | null> {
  const path = fileIn(dataDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return parsed(text) ?? Promise.reject(new RunStateError(path));
}

/** What this version or another has written; `null` for anything else. */
function parsed(text: string): RunState | null {
  try {
    const state: unknown = JSON.parse(text);
    const isState = typeof state === 'object' && state !== null && 'pid' in state;
    return isState && Number.isSafeInteger(state.pid) ? (state as RunState) : null;
  } catch {
    return null;
  }
}

/** The settings of a running Tenure for a command of its folder, whose own settings count before those of the start. */
export const settingsOf = (
  environment: Readonly<Record<string, string | undefined>>,
  state: Pick<RunState, 'environment' | 'given'> | null,
): Readonly<Record<string, string | undefined>> => ({
  ...state?.given,
  ...environment,
  ...state?.environment,
});

/**
 * Written beside, brought to the disk and renamed, so that no reader ever sees half of it, nor an empty one after a
 * crash.
 */
export async function writeRunState(dataDir: string, state: RunState): Promise<void> {
  await mkdir(join(dataDir, 'run'), { recursive: true });
  const beside = `${fileIn(dataDir)}.${process.pid}`;
  const file = await open(beside, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, fileIn(dataDir));
}

export const clearRunState = (dataDir: string): Promise<void> =>
  rm(fileIn(dataDir), { force: true });

/** Whether a process with this id runs and is a Tenure: process ids are used again. */
export async function isTenure(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  try {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return line.includes('cli/main.ts');
  } catch {
    // No /proc here: the process id is all we have.
    return true;
  }
}
