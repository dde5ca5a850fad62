import { randomUUID } from 'node:crypto';
import { Metadata, createChannel, createClient } from 'nice-grpc';
import { CommandServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { Command } from '../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Value } from '../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { LocalnetReady } from '../embedded/localnet.ts';
import { BareLedger } from './bare-ledger.ts';

/*
 * Creates a ledger with a long history. Installs and licences are created directly on the participants, without Tenure.
 */

/** Public demo credentials of LocalNet. */
const CLIENTS = {
  provider: {
    realm: 'AppProvider',
    id: 'app-provider-backend',
    secret: '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz',
  },
  user: { realm: 'AppUser', id: 'app-user-validator', secret: '6m12QyyGl81d9nABWQXMycZdXho6ejEX' },
} as const;
type Who = keyof typeof CLIENTS;

const METADATA: Value = {
  sum: {
    $case: 'record',
    value: {
      recordId: undefined,
      fields: [{ label: 'values', value: { sum: { $case: 'textMap', value: { entries: [] } } } }],
    },
  },
};
const party = (name: string): Value => ({ sum: { $case: 'party', value: name } });
const recordOf = (fields: Readonly<Record<string, Value>>) => ({
  recordId: undefined,
  fields: Object.entries(fields).map(([label, value]) => ({ label, value })),
});
const REQUEST = {
  packageId: '#quickstart-licensing',
  moduleName: 'Licensing.AppInstall',
  entityName: 'AppInstallRequest',
};

const tokenUrlOf = ({ ports }: LocalnetReady, realm: string): string =>
  `http://127.0.0.1:${ports.auth}/realms/${realm}/protocol/openid-connect/token`;

async function tokenOf(ready: LocalnetReady, who: Who): Promise<string> {
  const { realm, id, secret } = CLIENTS[who];
  const body = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const answer = await fetch(tokenUrlOf(ready, realm), {
    method: 'POST',
    body: new URLSearchParams({ ...body, scope: 'openid' }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** Returns a function that submits one command and returns the first contract that it created. */
async function submitterOf(ready: LocalnetReady, who: Who) {
  const participant = ready.ports.participants[who === 'user' ? 'app-user' : 'app-provider'];
  const channel = createChannel(`127.0.0.1:${participant['ledger']}`);
  const client = createClient(CommandServiceDefinition, channel);
  const authorization = `Bearer ${await tokenOf(ready, who)}`;
  const actAs = [who === 'user' ? ready.parties.appUser : ready.parties.appProvider];
  const submit = async (command: Command['command']): Promise<string> => {
    const commands = {
      commandId: randomUUID(),
      submissionId: randomUUID(),
      workflowId: '',
      userId: '',
      actAs,
      readAs: [],
      commands: [{ command }],
      disclosedContracts: [],
      synchronizerId: '',
      packageIdSelectionPreference: [],
      prefetchContractKeys: [],
    };
    const request = { commands, transactionFormat: undefined };
    const metadata = Metadata({ authorization });
    const { transaction } = await client.submitAndWaitForTransaction(request, { metadata });
    for (const { event } of transaction?.events ?? []) {
      if (event?.$case === 'created') return event.value.contractId;
    }
    throw new Error('the transaction created nothing');
  };
  return { submit, close: () => channel.close() };
}

/** Creates installs of the demo user. @returns their contract IDs */
export async function makeInstalls(ready: LocalnetReady, count: number): Promise<string[]> {
  const [user, provider] = [await submitterOf(ready, 'user'), await submitterOf(ready, 'provider')];
  const createArguments = recordOf({
    provider: party(ready.parties.appProvider),
    user: party(ready.parties.appUser),
    meta: METADATA,
  });
  const choiceArgument: Value = {
    sum: { $case: 'record', value: recordOf({ installMeta: METADATA, meta: METADATA }) },
  };
  const make = async () => {
    const contractId = await user.submit({
      $case: 'create',
      value: { templateId: REQUEST, createArguments },
    });
    const choice = 'AppInstallRequest_Accept';
    return provider.submit({
      $case: 'exercise',
      value: { templateId: REQUEST, contractId, choice, choiceArgument },
    });
  };
  const installs = await Promise.all(Array.from({ length: count }, make));
  user.close();
  provider.close();
  return installs;
}

/**
 * Creates licences on all installs at the same time.
 *
 * @returns the contract IDs of the installs afterwards
 */
export async function createLicenses(
  ready: LocalnetReady,
  installs: readonly string[],
  count: number,
): Promise<string[]> {
  const address = `127.0.0.1:${ready.ports.participants['app-provider']['ledger']}`;
  const tokenUrl = tokenUrlOf(ready, CLIENTS.provider.realm);
  const ledger = await BareLedger.open(address, tokenUrl, ready.parties.appProvider);
  let left = count;
  const follow = async (install: string) => {
    let current = install;
    while (left > 0) {
      left -= 1;
      current = await ledger.createLicense(current);
    }
    return current;
  };
  const current = await Promise.all(installs.map(follow));
  ledger.close();
  return current;
}
