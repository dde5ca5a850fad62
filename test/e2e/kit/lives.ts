import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoCaller } from '../../../cli/demo-callers.ts';
import { fetchToken } from '../../../cli/commands/token.ts';
import type { AuthMode } from '../../../src/domain/session.ts';
import { loadConfig } from '../../../src/main/config.ts';
import type { Embedded } from '../../../embedded/embedded.ts';
import { localnetAddresses } from '../../../embedded/localnet.ts';
import { createLog } from '../../../src/main/log.ts';
import { startSystem } from '../../../src/main/system.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import type { Answer } from './call-api.ts';
import { callApi } from './call-api.ts';
import { startParts } from './parts.ts';

/** A Tenure process. It may end while its database and its ledger continue to run. */
export interface Life extends AsyncDisposable {
  /** Sends a request without waiting for its outcome. */
  readonly ask: (who: DemoCaller, method: string, path: string, body?: object) => Promise<Answer>;
  /** Returns the state of the caller's operation with this command ID. */
  readonly stateOf: (who: DemoCaller, commandId: string) => Promise<string>;
}

const log = createLog('error');

/** A database and a LocalNet for Tenure processes, which a test starts one after another or at the same time. */
export class Lives implements AsyncDisposable {
  readonly embedded: Embedded;
  readonly #dataDir: string;
  readonly #mode: AuthMode;
  readonly #signal = AbortSignal.timeout(240_000);

  private constructor(embedded: Embedded, dataDir: string, mode: AuthMode) {
    this.embedded = embedded;
    this.#dataDir = dataDir;
    this.#mode = mode;
  }

  static async open(mode: AuthMode = 'oauth2'): Promise<Lives> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tenure-lives-'));
    const embedded = await startParts({ TENURE_DATA_DIR: dataDir, AUTH_MODE: mode });
    return new Lives(embedded, dataDir, mode);
  }

  get ready() {
    return this.embedded.localnet!.ready;
  }

  /** @param settings in addition to the default settings */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<Life> {
    const config = loadConfig({
      ...this.embedded.environment,
      TENURE_DATA_DIR: this.#dataDir,
      AUTH_MODE: this.#mode,
      TENURE_ROLES: 'api,worker,projector,clock',
      BACKEND_PORT: '0',
      ...settings,
    });
    const system = await startSystem(config, log, this.#signal);
    const ask: Life['ask'] = async (who, method, path, body) => {
      const token = await fetchToken(localnetAddresses(this.ready, this.#mode), who);
      return callApi(`http://127.0.0.1:${system.apiPort}${path}`, {
        method,
        body,
        token,
        headers: { prefer: 'respond-async' },
      });
    };
    const stateOf: Life['stateOf'] = async (who, commandId) =>
      (await ask(who, 'GET', `/operations/${commandId}`)).body.state;
    return {
      ask,
      stateOf,
      [Symbol.asyncDispose]: () => system.stop(),
    };
  }

  /** Calls LocalNet's control routes, such as `POST /faults`. */
  async control(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${localnetAddresses(this.ready).networkUrl}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(`LocalNet answers ${answer.status}: ${await answer.text()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.embedded[Symbol.asyncDispose]();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
