import { writeFile } from 'node:fs/promises';
import { DEMO_USER_SECRET } from '../../embedded/localnet.ts';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import type { LocalnetAddresses } from '../../src/main/run-state.ts';
import { readRunState } from '../../src/main/run-state.ts';
import { ask } from '../ask.ts';
import { DEMO_PASSWORD, DEMO_USERS } from '../demo-callers.ts';
import { DEMO_USER_ID } from './create-app-install-request.ts';
import { fetchToken, runningLocalnet } from './token.ts';

/**
 * Returns the last three digits of a port. In the reference application a port is a digit for the participant, 2 for
 * the user, and such a suffix.
 */
function suffixOf(address: string, what: string): string {
  const { port } = new URL(address);
  const suffix = /^2(\d{3})$/.exec(port)?.[1];
  if (suffix !== undefined) return suffix;
  throw new Error(
    `the ${what} of the user has port ${port}, but the tests of the reference need its standard port (2 and three digits): start without --free-ports`,
  );
}

async function dsoParty(localnet: LocalnetAddresses, token: string): Promise<string> {
  const url = `${localnet.userWalletUrl}/api/validator/v0/scan-proxy/dso-party-id`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await ask('the validator', url, 10_000, { headers });
  if (!answer.ok) throw new Error(`the validator answered ${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as { dso_party_id: string }).dso_party_id;
}

/**
 * Returns the settings that `env-init.sh` of the reference application writes, in the same order. As there, a setting
 * that a mode does not use is empty.
 */
async function settings(providerParty: string): Promise<Readonly<Record<string, string>>> {
  const localnet = await runningLocalnet();
  const { client, user } = DEMO_USERS.user;
  const token = await fetchToken(localnet, 'user');
  const isOauth2 = localnet.sharedSecret === null;
  const inOauth2 = (value: string) => (isOauth2 ? value : '');
  return {
    AUTH_MODE: isOauth2 ? 'oauth2' : 'shared-secret',
    APP_PROVIDER_PARTY: providerParty,
    APP_USER_PARTY: localnet.userParty,
    DSO_PARTY: await dsoParty(localnet, token),
    AUTH_APP_USER_WALLET_ADMIN_USER_NAME: user,
    AUTH_APP_USER_WALLET_ADMIN_USER_PASSWORD: inOauth2(DEMO_PASSWORD),
    AUTH_APP_USER_WALLET_ADMIN_USER_ID: inOauth2(DEMO_USER_ID),
    AUTH_APP_USER_AUTO_CONFIG_CLIENT_ID: inOauth2(client),
    PARTICIPANT_JSON_API_PORT_SUFFIX: suffixOf(localnet.userJsonApiUrl, 'JSON API'),
    VALIDATOR_ADMIN_API_PORT_SUFFIX: suffixOf(localnet.userWalletUrl, 'validator'),
    APP_USER_WALLET_ADMIN_TOKEN: token,
    AUTH_APP_USER_TOKEN_URL: inOauth2(localnet.userTokenUrl),
    AUTH_APP_USER_VALIDATOR_CLIENT_SECRET: inOauth2(DEMO_USER_SECRET),
    AUTH_APP_USER_VALIDATOR_CLIENT_ID: inOauth2('app-user-validator'),
    KEYCLOAK_BASE_URL: `http://localhost:${new URL(localnet.userTokenUrl).port}`,
  };
}

/**
 * Prints what the browser tests of the reference application need to know about the running LocalNet, or writes it to
 * the file that they read. They also need a Tenure that was started with `TEST_MODE=on`.
 */
export async function referenceEnv(options: { readonly output?: string }): Promise<void> {
  const environment = readEnvironment(processEnvironment());
  const running = await readRunState(environment.TENURE_DATA_DIR);
  const lines = Object.entries(await settings(running?.providerParty ?? '')).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  if (options.output === undefined) process.stdout.write(lines.join(''));
  else await writeFile(options.output, lines.join(''));
  // The mode of the running deployment decides, not the settings of this shell.
  if (!(running?.testMode ?? environment.TEST_MODE === 'on')) {
    console.error(
      'tenure: TEST_MODE is off; the tests need a Tenure that was started with TEST_MODE=on',
    );
  }
}
