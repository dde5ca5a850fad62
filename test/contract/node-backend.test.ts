import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { PROVIDER_BACKEND, USER_PERSON } from './kit/identities.ts';
import { newRequest } from './kit/steps.ts';
import { openNetwork } from './kit/network.ts';
import { ledgerUserWallet } from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

/*
 * The calls of the reference's backend for Node. It sends each command with `submit-and-wait-for-transaction`, acts as
 * the provider, and names templates by package name. It reads the created contract from the events of the answer.
 */

const network = await forFile(openNetwork());
const { appProvider, appUser } = network.localnet.parties;
const { urls } = network.localnet;
const LICENSING = '#quickstart-licensing:Licensing';

async function submit(command: Body, disclosedContracts?: Body): Promise<Body> {
  const path = '/v2/commands/submit-and-wait-for-transaction';
  const { status, text, json } = await http(
    network,
    `${urls.participants['app-provider'].json}${path}`,
    {
      as: PROVIDER_BACKEND,
      body: {
        commands: {
          commandId: `qs-js-${randomBytes(8).toString('hex')}`,
          actAs: [appProvider],
          readAs: [appProvider],
          userId: PROVIDER_BACKEND.userId,
          commands: [command],
          disclosedContracts,
        },
      },
    },
  );
  expect([status, text]).toEqual([200, expect.any(String)]);
  return json;
}

const exerciseAs = (
  templateId: string,
  contractId: string,
  choice: string,
  choiceArgument: Body,
  disclosed?: Body,
) => submit({ ExerciseCommand: { templateId, contractId, choice, choiceArgument } }, disclosed);

const exercise = (template: string, ...of: Rest<Parameters<typeof exerciseAs>>) =>
  exerciseAs(`${LICENSING}.${template}`, ...of);

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

/** Returns the contract that was created according to an answer. That backend selects it in the same way. */
const createdIn = ({ transaction }: Body, suffix: string): string =>
  (transaction.events as Body[]).find(({ CreatedEvent }) =>
    (CreatedEvent?.templateId as string | undefined)?.endsWith(suffix),
  ).CreatedEvent.contractId;

const meta = { values: {} };

const sides = { user: appUser, provider: appProvider };

async function installed(): Promise<string> {
  const request = await newRequest(network.as(USER_PERSON), sides);
  const accepted = await exercise(
    'AppInstall:AppInstallRequest',
    request.contractId,
    'AppInstallRequest_Accept',
    { installMeta: meta, meta },
  );
  return createdIn(accepted, ':Licensing.AppInstall:AppInstall');
}

/** @returns the licence, and the install's next contract */
async function licensed(install: string): Promise<readonly [license: string, install: string]> {
  const made = await exercise('AppInstall:AppInstall', install, 'AppInstall_CreateLicense', {
    params: { meta },
  });
  return [
    createdIn(made, ':Licensing.License:License'),
    createdIn(made, ':Licensing.AppInstall:AppInstall'),
  ];
}

/** @returns the renewal, and the request ID that identifies its payment */
async function renewing(license: string): Promise<readonly [renewal: string, requestId: string]> {
  const info = await http(network, `${urls.registry}/registry/metadata/v1/info`);
  const { adminId } = info.json as Body;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace('Z', '000Z');
  const requestId = randomBytes(8).toString('hex');
  const asked = await exercise('License:License', license, 'License_Renew', {
    requestId,
    licenseFeeInstrumentId: { admin: adminId, id: 'Amulet' },
    licenseFeeAmount: '100',
    licenseExtensionDuration: { microseconds: '2592000000000' },
    requestedAt: at(0),
    prepareUntil: at(600_000),
    settleBefore: at(1_200_000),
    description: 'One more month',
  });
  return [createdIn(asked, ':Licensing.License:LicenseRenewalRequest'), requestId];
}

test('installs, licenses, and renews with the registry’s context', async () => {
  const [license] = await licensed(await installed());
  const [renewal, requestId] = await renewing(license);
  const wallet = ledgerUserWallet(network);
  await wallet.tap('1000');
  const allocation = await wallet.accept(await wallet.request(requestId));

  const path = `/registry/allocations/v1/${allocation}/choice-contexts/execute-transfer`;
  const context = await http(network, `${urls.registry}${path}`, { body: {} });
  const disclosed = (context.json as Body).disclosedContracts as Body[];
  const idOf = (entity: string) =>
    disclosed.find(({ templateId }) => templateId.endsWith(`:${entity}`)).contractId;
  const entry = (value: string) => ({ tag: 'AV_ContractId', value });
  const renewed = await exercise(
    'License:LicenseRenewalRequest',
    renewal,
    'LicenseRenewalRequest_CompleteRenewal',
    {
      allocationCid: allocation,
      licenseCid: license,
      extraArgs: {
        context: {
          values: {
            'amulet-rules': entry(idOf('AmuletRules')),
            'open-round': entry(idOf('OpenMiningRound')),
          },
        },
        meta,
      },
    },
    disclosed.map(({ contractId, createdEventBlob, synchronizerId, templateId }) => ({
      contractId,
      createdEventBlob,
      synchronizerId,
      templateId,
    })),
  );
  expect(createdIn(renewed, ':Licensing.License:License')).not.toBe(license);
});

/**
 * Returns the contracts that were archived according to an answer, among them the contract on which the command was
 * exercised.
 */
const archivedBy = ({ transaction }: Body): readonly string[] =>
  (transaction.events as Body[]).flatMap(({ ArchivedEvent }) => ArchivedEvent?.contractId ?? []);

test('rejects a request, cancels an install, expires a licence', async () => {
  const { contractId: request } = await newRequest(network.as(USER_PERSON), sides);
  const rejected = await exercise(
    'AppInstall:AppInstallRequest',
    request,
    'AppInstallRequest_Reject',
    { meta },
  );
  expect(archivedBy(rejected)).toEqual([request]);

  const [license, install] = await licensed(await installed());
  const byProvider = { actor: appProvider, meta };
  const expired = await exercise('License:License', license, 'License_Expire', byProvider);
  expect(archivedBy(expired)).toEqual([license]);
  const cancelled = await exercise(
    'AppInstall:AppInstall',
    install,
    'AppInstall_Cancel',
    byProvider,
  );
  expect(archivedBy(cancelled)).toEqual([install]);
});

test('withdraws a renewal by the interface of allocation requests', async () => {
  const [license] = await licensed(await installed());
  const [renewal] = await renewing(license);
  const withdrawn = await exerciseAs(
    '#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest',
    renewal,
    'AllocationRequest_Withdraw',
    { extraArgs: { context: { values: {} }, meta } },
  );
  expect(archivedBy(withdrawn)).toContain(renewal);
});
