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
 * The calls of the reference's backend for Node: every command is one `submit-and-wait-for-transaction` in the name of
 * the provider, by a template's package name, and what was created is found in the answer's events.
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

const exercise = (
  template: string,
  contractId: string,
  choice: string,
  choiceArgument: Body,
  disclosed?: Body,
) =>
  submit(
    {
      ExerciseCommand: {
        templateId: `${LICENSING}.${template}`,
        contractId,
        choice,
        choiceArgument,
      },
    },
    disclosed,
  );

/** The contract that an answer says was created, found as that backend finds it. */
const createdIn = ({ transaction }: Body, suffix: string): string =>
  (transaction.events as Body[]).find(({ CreatedEvent }) =>
    (CreatedEvent?.templateId as string | undefined)?.endsWith(suffix),
  ).CreatedEvent.contractId;

const meta = { values: {} };

test('installs, licenses, renews with the registry’s context, and expires', async () => {
  const sides = { user: appUser, provider: appProvider };
  const request = await newRequest(network.as(USER_PERSON), sides);
  const accepted = await exercise(
    'AppInstall:AppInstallRequest',
    request.contractId,
    'AppInstallRequest_Accept',
    { installMeta: meta, meta },
  );
  const install = createdIn(accepted, ':Licensing.AppInstall:AppInstall');
  const made = await exercise('AppInstall:AppInstall', install, 'AppInstall_CreateLicense', {
    params: { meta },
  });
  const license = createdIn(made, ':Licensing.License:License');

  const info = await http(network, `${urls.registry}/registry/metadata/v1/info`);
  const { adminId } = info.json as Body;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace('Z', '000Z');
  const requestId = randomBytes(8).toString('hex');
  await exercise('License:License', license, 'License_Renew', {
    requestId,
    licenseFeeInstrumentId: { admin: adminId, id: 'Amulet' },
    licenseFeeAmount: '100',
    licenseExtensionDuration: { microseconds: '2592000000000' },
    requestedAt: at(0),
    prepareUntil: at(600_000),
    settleBefore: at(1_200_000),
    description: 'One more month',
  });
  const wallet = ledgerUserWallet(network);
  await wallet.tap('1000');
  const asked = await wallet.request(requestId);
  const allocation = await wallet.accept(asked);

  const path = `/registry/allocations/v1/${allocation}/choice-contexts/execute-transfer`;
  const context = await http(network, `${urls.registry}${path}`, { body: {} });
  const disclosed = (context.json as Body).disclosedContracts as Body[];
  const idOf = (entity: string) =>
    disclosed.find(({ templateId }) => templateId.endsWith(`:${entity}`)).contractId;
  const entry = (value: string) => ({ tag: 'AV_ContractId', value });
  const renewed = await exercise(
    'License:LicenseRenewalRequest',
    asked.contract_id,
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
