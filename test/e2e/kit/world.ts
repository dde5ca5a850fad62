import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchToken } from '../../../cli/commands/token.ts';
import type { DemoCaller } from '../../../cli/demo-callers.ts';
import { runTenure } from '../../../embedded/run.ts';
import type { RunningTenure } from '../../../embedded/run.ts';
import type { Answer } from './call-api.ts';
import { callApi } from './call-api.ts';
import type { Servers } from './parts.ts';
import { serversOfRun } from './parts.ts';

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bearer token; `null` sends none. */
  readonly token?: string | null;
}

/** A whole Tenure for one test: a database, LocalNet and every role, on free ports, in a temporary folder. */
export interface World extends AsyncDisposable {
  readonly tenure: RunningTenure;
  readonly dataDir: string;
  /** Settings with which other processes use the same database and the same ledger. */
  readonly environment: Readonly<Record<string, string>>;
  call(who: DemoCaller, method: string, path: string, options?: CallOptions): Promise<Answer>;
  tokenOf(who: DemoCaller): Promise<string>;
}

const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'REDIS_URL'];

/**
 * @param environment settings; a `DATABASE_URL` among them replaces the database on the server of the test run
 * @param fill puts files into the data folder before the start
 */
export async function startWorld(
  environment: Readonly<Record<string, string>> = {},
  fill?: (dataDir: string) => Promise<void>,
): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-e2e-'));
  await fill?.(dataDir);
  const inherited = Object.fromEntries(
    PASSED_ON.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  // Outside a test run, as for screenshots, Tenure starts its own database.
  const isTestRun = process.env['VITEST'] !== undefined;
  const own = isTestRun && environment['DATABASE_URL'] === undefined ? await serversOfRun() : null;
  const tenure = await runTenure({
    environment: {
      TENURE_LOG_LEVEL: 'error',
      ...inherited,
      ...own?.environment,
      BACKEND_PORT: '0',
      ...environment,
      TENURE_DATA_DIR: dataDir,
    },
    ports: 'free',
    signal: AbortSignal.timeout(120_000),
  });
  return worldOf(tenure, dataDir, own);
}

function worldOf(tenure: RunningTenure, dataDir: string, own: Servers | null): World {
  const tokens = new Map<DemoCaller, Promise<string>>();
  const tokenOf = (who: DemoCaller): Promise<string> => {
    if (tenure.state.localnet === null) throw new Error('this world has no LocalNet');
    const known = tokens.get(who) ?? fetchToken(tenure.state.localnet, who);
    tokens.set(who, known);
    return known;
  };
  return {
    tenure,
    dataDir,
    environment: { ...own?.environment, ...tenure.state.environment },
    tokenOf,
    call: async (who, method, path, options = {}) => {
      const token = options.token === undefined ? await tokenOf(who) : options.token;
      return callApi(`${tenure.state.apiUrl}${path}`, { ...options, method, token });
    },
    [Symbol.asyncDispose]: async () => {
      await tenure.stop();
      await own?.[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
