import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The file in the data folder in which a running Tenure describes itself, for `status`, `stop` and the other commands.
 */
export interface RunState {
  readonly pid: number;
  readonly startedAt: string;
  readonly apiUrl: string;
  /**
   * The address that serves readiness with its reasons, and metrics. Earlier versions omit this member, and serve both
   * at `apiUrl`.
   */
  readonly managementUrl?: string;
  /** Contains the user and the password, so only the file's owner may read it. */
  readonly databaseUrl: string;
  readonly providerParty: string;
  /** Whether this Tenure was started with `TEST_MODE=on`. Earlier versions omit this member. */
  readonly testMode?: boolean;
  /** The settings that the embedded parts have added, including secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The settings with which this Tenure was started, including secrets. Earlier versions omit this member. */
  readonly given?: Readonly<Record<string, string>>;
  readonly processes: readonly RunningProcess[];
  /** Addresses for people, each with a name. */
  readonly addresses: readonly { readonly name: string; readonly url: string }[];
  /** `null` if this Tenure did not start LocalNet. */
  readonly localnet: LocalnetAddresses | null;
}

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
}

/** Addresses and values of LocalNet that people and commands need. */
export interface LocalnetAddresses {
  readonly providerTokenUrl: string;
  readonly userTokenUrl: string;
  readonly userJsonApiUrl: string;
  /** The validator that serves the user's wallet. */
  readonly userWalletUrl: string;
  /** The address at which the network serves `/control`. */
  readonly networkUrl: string;
  readonly userParty: string;
  /**
   * The key with which people sign tokens in shared-secret mode. In that mode, tokens of the authorization server are
   * not accepted.
   */
  readonly sharedSecret: string | null;
  /** The scope that every token must have, if participants are strict. */
  readonly strictScope?: string;
}

const fileIn = (dataDir: string): string => join(dataDir, 'run', 'tenure.json');

/** The file has no usable content: it was edited or truncated. */
export class RunStateError extends Error {
  override readonly name = 'RunStateError';
  constructor(path: string) {
    super(
      `${path} is damaged, so Tenure cannot tell which processes run. End these processes (\`ps\` shows cli/main.ts), delete the file, and start again`,
    );
  }
}

/**
 * Returns what the file says; `null` if there is no file. The process may have ended since: see `isTenure`.
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

/** Parses the file of any version; returns `null` if it is none. */
function parsed(text: string): RunState | null {
  try {
    const state: unknown = JSON.parse(text);
    const isState = typeof state === 'object' && state !== null && 'pid' in state;
    return isState && Number.isSafeInteger(state.pid) ? (state as RunState) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the settings of a running Tenure for a command in its folder. The command's own settings override those of
 * the start.
 */
export const settingsOf = (
  environment: Readonly<Record<string, string | undefined>>,
  state: Pick<RunState, 'environment' | 'given'> | null,
): Readonly<Record<string, string | undefined>> => ({
  ...state?.given,
  ...environment,
  ...state?.environment,
});

/**
 * Writes a temporary file, syncs it and renames it. So a reader never sees a partial file, and there is no empty file
 * after a crash.
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

/**
 * Whether the process with this ID exists and is a Tenure. The second check is needed because process IDs are reused.
 */
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
    // Without /proc, only the existence of the process can be checked.
    return true;
  }
}
