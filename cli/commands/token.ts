import { ask } from '../ask.ts';
import type { DemoCaller } from '../demo-callers.ts';
import { DEMO_PASSWORD, DEMO_USERS, OPERATORS } from '../demo-callers.ts';
import { DATA_DIR, givenSettings } from '../../src/main/environment-file.ts';
import type { LocalnetAddresses } from '../../src/main/run-state.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';

const ASK_MS = 10_000;

/** Returns the running LocalNet. @throws Error that says what to do if there is none */
export async function runningLocalnet(): Promise<LocalnetAddresses> {
  const { TENURE_DATA_DIR: dataDir = DATA_DIR } = givenSettings(['TENURE_DATA_DIR']);
  const state = await readRunState(dataDir);
  if (state === null || !(await isTenure(state.pid))) {
    throw new Error('not running. Start it with `make start`.');
  }
  if (state.localnet === null)
    throw new Error('this command works only with LocalNet, but another ledger is configured');
  return state.localnet;
}

/**
 * Fetches an access token for a demo caller with the password grant. In mode shared-secret, signs it here instead.
 * @param username another person of the same realm; all have the same public password
 */
export async function fetchToken(
  localnet: LocalnetAddresses,
  who: DemoCaller,
  username?: string,
): Promise<string> {
  const { realm, client, user } = DEMO_USERS[who];
  const { strictScope } = localnet;
  if (localnet.sharedSecret !== null) {
    if (OPERATORS.includes(who)) throw new Error('mode shared-secret has no operator');
    return (await import('../../embedded/unsafe-token.ts')).unsafeToken(
      username ?? user,
      strictScope,
    );
  }
  const url = realm === 'provider' ? localnet.providerTokenUrl : localnet.userTokenUrl;
  const answer = await ask('the authorization server', url, ASK_MS, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: client,
      username: username ?? user,
      password: DEMO_PASSWORD,
      scope: strictScope === undefined ? 'openid' : `openid ${strictScope}`,
    }),
  });
  const body = JSON.parse(answer.text) as { access_token?: string; error_description?: string };
  if (body.access_token === undefined) {
    throw new Error(
      `the authorization server gave no token for ${who}: ${body.error_description ?? answer.status}`,
    );
  }
  return body.access_token;
}

export async function token(who: DemoCaller): Promise<void> {
  console.log(await fetchToken(await runningLocalnet(), who));
}
