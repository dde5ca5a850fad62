import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import type { Environment } from '../../src/main/environment.ts';
import { readRunState } from '../../src/main/run-state.ts';
import type { LocalnetAddresses } from '../../src/main/run-state.ts';
import { ask } from '../ask.ts';
import { fetchToken, runningLocalnet } from './token.ts';

/** Id of the demo user `app-user`, as the reference's script sends it; v2 of the JSON API ignores the field. */
export const DEMO_USER_ID = '92a520cb-2f09-4e55-b465-d178c6cfe5e4';

/** For whom a request asks, and how it is told from others. */
interface Asker {
  /** Name in realm AppUser; absent: the demo user. */
  readonly username?: string | undefined;
  readonly userId: string;
  readonly party: string;
  /** Metadata entry and end of the command ID; absent: none, and the time. */
  readonly tag?: string | undefined;
}

/** Returns the requesting user. As in the reference, the caller may name another user in test mode with a tag. */
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

/** The reference's request, key by key: also those that no version of the JSON API reads any more. */
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

/** Does what the reference's script does: the user's request goes straight to the user's participant. */
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
