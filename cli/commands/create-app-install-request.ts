import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import type { Environment } from '../../src/main/environment.ts';
import { readRunState } from '../../src/main/run-state.ts';
import type { LocalnetAddresses } from '../../src/main/run-state.ts';
import { ask } from '../ask.ts';
import { fetchToken, runningLocalnet } from './token.ts';

/**
 * Id of the demo user `app-user`, as the script of the reference application sends it. Version 2 of the JSON API
 * ignores the field.
 */
export const DEMO_USER_ID = '92a520cb-2f09-4e55-b465-d178c6cfe5e4';

/** The user for whom a request is made, and the tag that distinguishes it from other requests. */
interface Asker {
  /** The user's name in realm AppUser; absent for the demo user. */
  readonly username?: string | undefined;
  readonly userId: string;
  readonly party: string;
  /**
   * The value of a metadata entry, and the end of the command ID. Without a tag there is no entry, and the command ID
   * ends with the time.
   */
  readonly tag?: string | undefined;
}

/**
 * Returns the requesting user. As in the reference application, in test mode a caller with a tag may name another user.
 */
function askerOf(env: Environment, localnet: LocalnetAddresses, tag: string | undefined): Asker {
  const ordinary = { userId: DEMO_USER_ID, party: localnet.userParty };
  if (tag !== undefined) return { ...ordinary, tag };
  if (env.TEST_MODE === 'off' || env.TEST_UNIQUE_REQUEST_TAG === undefined) return ordinary;
  return {
    username: env.TEST_AUTH_APP_USER_WALLET_ADMIN_USER_NAME,
    userId: env.TEST_AUTH_APP_USER_WALLET_ADMIN_USER_ID ?? ordinary.userId,
    party: env.TEST_APP_USER_PARTY ?? ordinary.party,
    tag: env.TEST_UNIQUE_REQUEST_TAG,
  };
}

/** Nanoseconds since 1970, as `date +%s%N` gives them. */
const nowNanos = (): bigint =>
  BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);

/**
 * Returns the request of the reference application with all its members, even those that no version of the JSON API
 * reads any more.
 */
function requestBody(provider: string, { party, userId, tag }: Asker): object {
  const name = 'create-app-install-request';
  const values = tag === undefined ? {} : { test: tag };
  return {
    commands: [
      {
        CreateCommand: {
          templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
          createArguments: { provider, user: party, meta: { values } },
        },
      },
    ],
    workflowId: name,
    applicationId: userId,
    commandId: `${name}-${tag ?? nowNanos()}`,
    deduplicationPeriod: { Empty: {} },
    actAs: [party],
    readAs: [party],
    submissionId: name,
    disclosedContracts: [],
    domainId: '',
    packageIdSelectionPreference: [],
  };
}

/**
 * Does what the script of the reference application does: sends the user's request directly to the user's participant.
 */
export async function createAppInstallRequest(options: { readonly tag?: string }): Promise<void> {
  const environment = readEnvironment(processEnvironment());
  const localnet = await runningLocalnet();
  const provider = (await readRunState(environment.TENURE_DATA_DIR))?.providerParty ?? '';
  const asker = askerOf(environment, localnet, options.tag);
  const url = `${localnet.userJsonApiUrl}/v2/commands/submit-and-wait`;
  const answer = await ask('the participant', url, 30_000, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await fetchToken(localnet, 'user', asker.username)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(requestBody(provider, asker)),
  });
  if (!answer.ok) throw new Error(`the participant answered ${answer.status}: ${answer.text}`);
  console.log(answer.text);
}
