import { randomUUID } from 'node:crypto';
import { Metadata, createChannel, createClient } from 'nice-grpc';
import { CommandServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { CommandServiceClient } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { Value } from '../proto/gen/com/daml/ledger/api/v2/value.ts';

/** Public demo credentials of LocalNet. */
const CLIENT = { id: 'app-provider-backend', secret: '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz' };

const metadata: Value = {
  sum: {
    $case: 'record',
    value: {
      recordId: undefined,
      fields: [{ label: 'values', value: { sum: { $case: 'textMap', value: { entries: [] } } } }],
    },
  },
};
const record = (label: string, value: Value): Value => ({
  sum: { $case: 'record', value: { recordId: undefined, fields: [{ label, value }] } },
});

/** `AppInstall_CreateLicense` straight at the participant: what the ledger itself takes, with nothing around. */
export class BareLedger {
  readonly #client: CommandServiceClient;
  readonly #channel;
  readonly #party: string;
  readonly #token: string;

  private constructor(address: string, party: string, token: string) {
    this.#channel = createChannel(address);
    this.#client = createClient(CommandServiceDefinition, this.#channel);
    this.#party = party;
    this.#token = token;
  }

  static async open(address: string, tokenUrl: string, party: string): Promise<BareLedger> {
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        scope: 'openid',
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return new BareLedger(address, party, token);
  }

  /** Creates a licence and returns the contract ID of the install that follows. */
  async createLicense(installCid: string): Promise<string> {
    const { transaction } = await this.#client.submitAndWaitForTransaction(
      {
        commands: {
          commandId: randomUUID(),
          submissionId: randomUUID(),
          workflowId: '',
          userId: '',
          actAs: [this.#party],
          readAs: [],
          commands: [
            {
              command: {
                $case: 'exercise',
                value: {
                  templateId: {
                    packageId: '#quickstart-licensing',
                    moduleName: 'Licensing.AppInstall',
                    entityName: 'AppInstall',
                  },
                  contractId: installCid,
                  choice: 'AppInstall_CreateLicense',
                  choiceArgument: record('params', record('meta', metadata)),
                },
              },
            },
          ],
          disclosedContracts: [],
          synchronizerId: '',
          packageIdSelectionPreference: [],
          prefetchContractKeys: [],
        },
        transactionFormat: undefined,
      },
      { metadata: Metadata({ authorization: `Bearer ${this.#token}` }) },
    );
    for (const { event } of transaction?.events ?? []) {
      if (event?.$case === 'created' && event.value.templateId?.entityName === 'AppInstall') {
        return event.value.contractId;
      }
    }
    throw new Error('the transaction created no AppInstall');
  }

  close(): void {
    this.#channel.close();
  }
}
