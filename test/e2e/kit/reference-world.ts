import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Wallet } from '../../../cli/wallet.ts';
import { openWallet } from '../../../cli/wallet.ts';
import type { OperationId, Received, ReferenceClient } from './reference-client.ts';
import { openReferenceClient } from './reference-client.ts';
import type { World } from './world.ts';
import { startWorld } from './world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
export type Row = any;

/** A contract ID that belongs to no contract. */
export const UNKNOWN = `00${'ab'.repeat(32)}`;

/**
 * A Tenure with signed-in users of both sides. Each call is the one that a button of the frontend sends, with the same
 * body.
 */
export interface ReferenceWorld extends AsyncDisposable {
  readonly world: World;
  readonly wallet: Wallet;
  readonly providerParty: string;
  readonly userParty: string;
  readonly provider: ReferenceClient;
  readonly user: ReferenceClient;
  /** A client that is never signed in. */
  readonly anonymous: ReferenceClient;
  /** Opens one more browser. */
  open(host?: string, base?: string): ReferenceClient;
  /** Creates a request of the user directly on the user's participant, because the frontend has no button for this. */
  requested(values?: Readonly<Record<string, string>>): Promise<string>;
  installed(): Promise<string>;
  /** Creates a licence, and returns it with the next contract of its install. */
  licensed(install?: string): Promise<{ licenseId: string; installId: string }>;
  /** Returns the newest renewal of a licence, as it is listed. */
  renewalOf(license: string): Promise<Row>;
  accept(id: string, meta?: object): Promise<Received>;
  createLicense(id: string): Promise<Received>;
  archive(client: ReferenceClient, id: string): Promise<Received>;
  renew(id: string, more?: object): Promise<Received>;
}

export async function list(client: ReferenceClient, operation: OperationId): Promise<Row> {
  const { status, headers, data } = await client.call(operation);
  expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, 'application/json']);
  return data;
}

export const rowOf = async (
  client: ReferenceClient,
  operation: OperationId,
  id: string,
): Promise<Row> => (await list(client, operation)).find(({ contractId }: Row) => contractId === id);

export function expectEmpty({ status, headers, text }: Received, expected: number): void {
  expect([status, text]).toEqual([expected, '']);
  expect([headers.get('content-type'), headers.get('location')]).toEqual([null, null]);
}

/**
 * Creates the request as the reference's script does. @returns the value that distinguishes this request from others
 */
async function createRequest(world: World, values: Readonly<Record<string, string>>) {
  const tag = randomUUID();
  const { localnet, providerParty: provider } = world.tenure.state;
  const user = localnet!.userParty;
  const createArguments = { provider, user, meta: { values: { ...values, tag } } };
  const templateId = '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest';
  const answer = await fetch(`${localnet!.userJsonApiUrl}/v2/commands/submit-and-wait`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.tokenOf('user')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      commands: [{ CreateCommand: { templateId, createArguments } }],
      commandId: `create-app-install-request-${tag}`,
      actAs: [user],
      readAs: [user],
    }),
  });
  expect(answer.status).toBe(200);
  return tag;
}

const buttons = (provider: ReferenceClient) => ({
  accept: (id: string, meta: object = { data: {} }) =>
    provider.call('acceptAppInstallRequest', { id, body: { installMeta: meta, meta: {} } }),
  createLicense: (id: string) =>
    provider.call('createLicense', { id, body: { params: { meta: {} } } }),
  archive: (client: ReferenceClient, id: string) =>
    client.call('expireLicense', { id, body: { meta: { data: { description: 'not used' } } } }),
  renew: (id: string, more: object = {}) =>
    provider.call('renewLicense', {
      id,
      body: {
        licenseFeeCc: 100,
        licenseExtensionDuration: 'P30D',
        prepareUntilDuration: 'PT10M',
        settleBeforeDuration: 'PT20M',
        description: 'One more month',
        ...more,
      },
    }),
});

function contracts(world: World, provider: ReferenceClient) {
  const { accept, createLicense } = buttons(provider);
  const requested = async (values: Readonly<Record<string, string>> = {}): Promise<string> => {
    const tag = await createRequest(world, values);
    const find = async (): Promise<Row> =>
      (await list(provider, 'listAppInstallRequests')).find(
        ({ meta }: Row) => meta.data.tag === tag,
      );
    // The frontend's page polls as well.
    await expect.poll(find).toBeDefined();
    return (await find()).contractId;
  };
  const installed = async (): Promise<string> => (await accept(await requested())).data.contractId;
  return {
    requested,
    installed,
    licensed: async (install?: string) => {
      const { status, data } = await createLicense(install ?? (await installed()));
      expect(status).toBe(201);
      return data;
    },
    renewalOf: async (license: string): Promise<Row> =>
      (await rowOf(provider, 'listLicenses', license)).renewalRequests.at(-1),
  };
}

export async function startReferenceWorld(): Promise<ReferenceWorld> {
  const world = await startWorld();
  const { apiUrl, localnet, providerParty } = world.tenure.state;
  const { port } = new URL(apiUrl);
  const clients: ReferenceClient[] = [];
  const open = (host = 'app-provider.localhost', base = '/api'): ReferenceClient => {
    const client = openReferenceClient(`http://${host}:${port}`, base);
    clients.push(client);
    return client;
  };
  const [provider, user, anonymous] = [open(), open(), open()];
  await Promise.all([
    provider.signIn('AppProvider', 'app-provider'),
    user.signIn('AppUser', 'app-user'),
  ]);
  return {
    world,
    wallet: openWallet(localnet!.userWalletUrl, await world.tokenOf('user')),
    providerParty,
    userParty: localnet!.userParty,
    provider,
    user,
    anonymous,
    open,
    ...contracts(world, provider),
    ...buttons(provider),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
      await world[Symbol.asyncDispose]();
    },
  };
}
