import { randomUUID } from 'node:crypto';
import { Metadata, createChannel, createClient } from 'nice-grpc';
import { CommandServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { CommandServiceClient } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { Commands } from '../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { Value } from '../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { RunState } from '../src/main/run-state.ts';
import { renewing } from './tokens.ts';

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

/** Returns the command `AppInstall_CreateLicense` as a participant accepts it. */
export const createLicenseCommands = (
  party: string,
  installCid: string,
  commandId: string,
): Commands => ({
  commandId,
  submissionId: randomUUID(),
  workflowId: '',
  userId: '',
  actAs: [party],
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
  deduplicationPeriod: undefined,
  minLedgerTimeAbs: undefined,
  minLedgerTimeRel: undefined,
  disclosedContracts: [],
  synchronizerId: '',
  packageIdSelectionPreference: [],
  prefetchContractKeys: [],
});

/**
 * Returns the contract ID of the install that replaces the archived one. @throws Error if the transaction created none
 */
export function installIn(transaction: Transaction | undefined): string {
  for (const { event } of transaction?.events ?? []) {
    if (event?.$case === 'created' && event.value.templateId?.entityName === 'AppInstall') {
      return event.value.contractId;
    }
  }
  throw new Error('the transaction created no AppInstall');
}

/** Fetches a token of the provider's backend. */
export async function backendToken(tokenUrl: string): Promise<string> {
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
  return token;
}

/** Sends `AppInstall_CreateLicense` directly to the participant, to measure how long the ledger itself takes. */
export class BareLedger {
  readonly #client: CommandServiceClient;
  readonly #channel;
  readonly #party: string;
  readonly #token: () => Promise<string>;

  private constructor(address: string, party: string, token: () => Promise<string>) {
    this.#channel = createChannel(address);
    this.#client = createClient(CommandServiceDefinition, this.#channel);
    this.#party = party;
    this.#token = token;
  }

  static async open(address: string, tokenUrl: string, party: string): Promise<BareLedger> {
    const token = renewing(() => backendToken(tokenUrl));
    await token();
    return new BareLedger(address, party, token);
  }

  /** Connects to the provider's participant of a LocalNet that a Tenure has started. */
  static async beside({ addresses, localnet, providerParty }: RunState): Promise<BareLedger> {
    const address = addresses.find(({ name }) => name === 'provider, Ledger API')?.url ?? '';
    return BareLedger.open(address, localnet?.providerTokenUrl ?? '', providerParty);
  }

  /**
   * Returns a function that makes caller `n` create a licence. Each caller has its own install, whose contract is
   * replaced with each call.
   *
   * @param installs contract IDs, one for each caller
   */
  callers(installs: readonly string[]): (n: number) => Promise<void> {
    const current = [...installs];
    return async (n) => {
      current[n] = await this.createLicense(current[n] ?? '');
    };
  }

  /** Creates a licence and returns the contract ID of the install that replaces the archived one. */
  async createLicense(installCid: string): Promise<string> {
    const commands = createLicenseCommands(this.#party, installCid, randomUUID());
    const { transaction } = await this.#client.submitAndWaitForTransaction(
      { commands, transactionFormat: undefined },
      { metadata: Metadata({ authorization: `Bearer ${await this.#token()}` }) },
    );
    return installIn(transaction);
  }

  close(): void {
    this.#channel.close();
  }
}
