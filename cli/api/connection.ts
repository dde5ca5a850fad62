import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';
import { fetchToken } from '../commands/token.ts';
import type { DemoCaller } from '../demo-callers.ts';
import { CommandError, EXIT } from '../exit.ts';

/** Where the API is, and who one is there. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

const cannot = (message: string): never => {
  throw new CommandError(EXIT.cannot, message);
};

/**
 * `TENURE_API_URL` with `TENURE_TOKEN`; else what `make start` has started in this folder, with `TENURE_TOKEN` or, where
 * LocalNet runs, a token of a demo caller. A demo token goes nowhere else.
 *
 * @throws CommandError when there is no API to be found, or no token for it
 */
export async function connect(who: DemoCaller | undefined): Promise<Connection> {
  const environment = readEnvironment(processEnvironment());
  const { TENURE_API_URL: givenUrl, TENURE_TOKEN: token } = environment;
  if (who !== undefined && token !== undefined) {
    cannot('--as is for LocalNet’s demo callers, and TENURE_TOKEN says already who calls');
  }
  if (givenUrl !== undefined) {
    const url = givenUrl.replace(/\/+$/u, '');
    return { url, token: token ?? cannot('TENURE_API_URL needs TENURE_TOKEN: an access token') };
  }
  const state = await readRunState(environment.TENURE_DATA_DIR);
  if (state === null || !(await isTenure(state.pid))) {
    return cannot('not running here. Start it with `make start`, or set TENURE_API_URL.');
  }
  const url = state.apiUrl;
  if (token !== undefined) return { url, token };
  if (state.localnet === null) {
    return cannot('set TENURE_TOKEN to an access token: there are demo callers on LocalNet only');
  }
  return { url, token: await fetchToken(state.localnet, who ?? 'operator') };
}
