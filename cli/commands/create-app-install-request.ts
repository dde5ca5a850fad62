import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { readRunState } from '../../src/main/run-state.ts';
import { fetchToken, runningLocalnet } from './token.ts';

/** Id of the demo user `app-user`, as the reference's script sends it; v2 of the JSON API ignores the field. */
const DEMO_USER_ID = '92a520cb-2f09-4e55-b465-d178c6cfe5e4';

function body(provider: string, user: string, tag: string | undefined): object {
  const name = 'create-app-install-request';
  return {
    commands: [
      {
        CreateCommand: {
          templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
          createArguments: {
            provider,
            user,
            meta: { values: tag === undefined ? {} : { test: tag } },
          },
        },
      },
    ],
    workflowId: name,
    applicationId: DEMO_USER_ID,
    commandId: `${name}-${tag ?? process.hrtime.bigint()}`,
    deduplicationPeriod: { Empty: {} },
    actAs: [user],
    readAs: [user],
    submissionId: name,
    disclosedContracts: [],
    domainId: '',
    packageIdSelectionPreference: [],
  };
}

/** Does what the reference's script does: the user's request goes straight to the user's participant. */
export async function createAppInstallRequest(options: { readonly tag?: string }): Promise<void> {
  const localnet = await runningLocalnet();
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const provider = (await readRunState(dataDir))?.providerParty ?? '';
  const answer = await fetch(`${localnet.userJsonApiUrl}/v2/commands/submit-and-wait`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await fetchToken(localnet, 'user')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body(provider, localnet.userParty, options.tag)),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the participant answered ${answer.status}: ${text}`);
  console.log(text);
}
