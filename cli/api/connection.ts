import { DATA_DIR, givenSettings } from '../../src/main/environment-file.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';
import { fetchToken } from '../commands/token.ts';
import type { DemoCaller } from '../demo-callers.ts';
import { CommandError, EXIT } from '../exit.ts';

/** The address of the API, and the token of the caller. */
export interface Connection {
  /** The address without a trailing slash. */
  readonly url: string;
  readonly token: string;
}

const cannot = (message: string): never => {
  throw new CommandError(EXIT.cannot, message);
};

/** Returns the token as a header value. Messages about an invalid token do not show it. */
function tokenIn(text: string): string {
  const token = text.trim();
  return /^[\u0021-\u007E]+$/u.test(token)
    ? token
    : cannot('TENURE_TOKEN is not an access token: it contains spaces or other invalid characters');
}

/** Returns the address without a trailing slash. Refuses an address with a password, because messages would show it. */
function addressIn(text: string): string {
  const url = URL.parse(text);
  const isAddress = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isAddress || url.username !== '' || url.password !== '') {
    return cannot(
      'TENURE_API_URL must be an address such as https://tenure.example.org, without a password',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, '');
}

/**
 * Returns the connection to the API. If `TENURE_API_URL` is set, it is used with `TENURE_TOKEN`. Otherwise the API that
 * `make start` has started in this folder is used, with `TENURE_TOKEN` or, if LocalNet runs, with the token of a demo
 * caller. A demo token is sent to no other address.
 *
 * @throws CommandError if no API is found, or there is no token for it
 */
export async function connect(who: DemoCaller | undefined): Promise<Connection> {
  const given = givenSettings(['TENURE_API_URL', 'TENURE_TOKEN', 'TENURE_DATA_DIR']);
  const { TENURE_API_URL: givenUrl, TENURE_TOKEN: givenToken } = given;
  const token = givenToken === undefined ? undefined : tokenIn(givenToken);
  if (who !== undefined && token !== undefined) {
    cannot('use --as or TENURE_TOKEN, not both: --as selects a demo caller of LocalNet');
  }
  if (givenUrl !== undefined) {
    const url = addressIn(givenUrl);
    return {
      url,
      token: token ?? cannot('TENURE_API_URL is set, so TENURE_TOKEN must contain an access token'),
    };
  }
  const state = await readRunState(given.TENURE_DATA_DIR ?? DATA_DIR);
  if (state === null || !(await isTenure(state.pid))) {
    return cannot(
      'Tenure is not running in this folder. Start it with `make start`, or set TENURE_API_URL.',
    );
  }
  const url = state.apiUrl;
  if (token !== undefined) return { url, token };
  if (state.localnet === null) {
    return cannot('set TENURE_TOKEN to an access token: there are demo callers on LocalNet only');
  }
  return { url, token: await fetchToken(state.localnet, who ?? 'operator') };
}
