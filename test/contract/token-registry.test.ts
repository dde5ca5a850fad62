import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import type { HttpRequest } from './kit/http.ts';
import { PROVIDER_BACKEND, USER_PERSON } from './kit/identities.ts';
import type { Identity } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { askForRenewal, ledgerUserWallet, newUserLicense } from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

const network = await forFile(openNetwork());
const wallet = ledgerUserWallet(network);
await wallet.tap('100');
const requestId = await askForRenewal(network, await newUserLicense(network), { amount: '10' });
/** An active allocation. */
const allocation = await wallet.accept(await wallet.request(requestId));

const registry = (path: string, request?: HttpRequest) =>
  http(network, `${network.localnet.urls.registry}/registry${path}`, request);
const contextOf = (cid: string, choice: string, request: HttpRequest = { body: { meta: {} } }) =>
  registry(`/allocations/v1/${cid}/choice-contexts/${choice}`, request);
const contractId = expect.stringMatching(/^00[0-9a-f]+$/);
const error = { error: expect.any(String) };

describe('metadata', () => {
  test('names the administrator and the instrument', async () => {
    const info = await registry('/metadata/v1/info');
    expect(info.json).toEqual({
      adminId: network.localnet.parties.dso,
      supportedApis: { 'splice-api-token-metadata-v1': 1 },
    });
    const amulet = {
      id: 'Amulet',
      name: 'Amulet',
      symbol: 'Amulet',
      decimals: 10,
      supportedApis: expect.objectContaining({ 'splice-api-token-allocation-v1': 1 }),
    };
    const listed = await registry('/metadata/v1/instruments?pageSize=5');
    expect(listed.json).toEqual({ instruments: [amulet] });
    expect((await registry('/metadata/v1/instruments/Amulet')).json).toEqual(amulet);
  });

  test('refuses what it does not know', async () => {
    const unknown = await registry('/metadata/v1/instruments/Gold');
    expect([unknown.status, unknown.json]).toEqual([404, error]);
    for (const query of ['pageSize=many', 'pageSize=0', 'pageSize=1&pageSize=2']) {
      const page = await registry(`/metadata/v1/instruments?${query}`);
      expect([query, page.status, page.json]).toEqual([query, 400, error]);
    }
  });
});

describe('choice contexts', () => {
  const disclosed = (template: string) => ({
    templateId: expect.stringMatching(new RegExp(`^[0-9a-f]{64}:${template}$`)),
    contractId,
    createdEventBlob: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    synchronizerId: network.localnet.synchronizerId,
  });

  test('to execute a transfer: what the executor does not see, and where the choice finds it', async () => {
    const { status, json } = await contextOf(allocation, 'execute-transfer', {
      body: { meta: {}, excludeDebugFields: true },
    });
    const { choiceContextData, disclosedContracts } = json as Body;
    expect(status).toBe(200);
    expect(disclosedContracts).toEqual([
      disclosed('Splice.AmuletRules:AmuletRules'),
      disclosed('Splice.Round:OpenMiningRound'),
      disclosed('Splice.Amulet:LockedAmulet'),
    ]);
    const [rules, round] = disclosedContracts as Body[];
    expect(choiceContextData).toEqual({
      values: {
        'amulet-rules': { tag: 'AV_ContractId', value: rules.contractId },
        'open-round': { tag: 'AV_ContractId', value: round.contractId },
        'expire-lock': { tag: 'AV_Bool', value: true },
      },
    });
  });

  test.each(['withdraw', 'cancel'])('to %s: whether there is a lock to end', async (choice) => {
    const { status, json } = await contextOf(allocation, choice);
    expect([status, json]).toEqual([
      200,
      {
        choiceContextData: {
          values: {
            'amulet-rules': { tag: 'AV_ContractId', value: contractId },
            'open-round': { tag: 'AV_ContractId', value: contractId },
            'expire-lock': { tag: 'AV_Bool', value: true },
          },
        },
        disclosedContracts: [
          expect.objectContaining(disclosed('Splice.AmuletRules:AmuletRules')),
          expect.objectContaining(disclosed('Splice.Round:OpenMiningRound')),
          expect.objectContaining({
            ...disclosed('Splice.Amulet:LockedAmulet'),
            debugPackageName: 'splice-amulet',
            debugPayload: expect.objectContaining({ lock: expect.any(Object) }),
            debugCreatedAt: expect.stringMatching(/Z$/),
          }),
        ],
      },
    ]);
  });

  test('the network port gives the same, under any of its names and without a token', async () => {
    const path = `/registry/allocations/v1/${allocation}/choice-contexts/execute-transfer`;
    const { json } = await http(network, `${network.localnet.urls.network}${path}`, { body: {} });
    expect(json).toEqual((await contextOf(allocation, 'execute-transfer')).json);
  });

  test.each(['execute-transfer', 'withdraw', 'cancel'])(
    '%s: an allocation that nobody knows is 404, whatever its id looks like',
    async (choice) => {
      for (const cid of [`00${'ab'.repeat(64)}`, 'nonsense', '%00', 'x'.repeat(900)]) {
        const { status, json } = await contextOf(cid, choice);
        expect([cid, status, json]).toEqual([cid, 404, error]);
      }
    },
  );

  test.each<[string, HttpRequest, number]>([
    ['no body', { method: 'POST' }, 400],
    [
      'JSON without a body',
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      400,
    ],
    ['a list', { body: [] }, 400],
    ['meta that is no map', { body: { meta: 'x' } }, 400],
    ['meta of numbers', { body: { meta: { a: 1 } } }, 400],
    ['a flag that is none', { body: { excludeDebugFields: 'yes' } }, 400],
    ['not JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['another type', { body: 'meta', headers: { 'content-type': 'text/plain' } }, 415],
    ['too much', { body: { meta: { a: 'x'.repeat(300_000) } } }, 413],
  ])('%s is refused', async (_what, request, status) => {
    const reply = await contextOf(allocation, 'execute-transfer', request);
    expect([reply.status, reply.json]).toEqual([status, error]);
  });

  test('once withdrawn, an allocation is 404', async () => {
    const wallet = ledgerUserWallet(network);
    await wallet.tap('10');
    const license = await newUserLicense(network);
    const requestId = await askForRenewal(network, license, { amount: '1' });
    const cid = await wallet.accept(await wallet.request(requestId));
    await wallet.expectOk(`/allocations/${cid}/withdraw`, { method: 'POST' });
    const { status, json } = await contextOf(cid, 'execute-transfer');
    expect([status, json]).toEqual([404, { error: `AmuletAllocation '${cid}' not found.` }]);
  });
});

describe('the allocation factory', () => {
  const path = '/allocation-instruction/v1/allocation-factory';

  test('lets a user allocate over the JSON Ledger API alone', async () => {
    const { dso, appUser, appProvider } = network.localnet.parties;
    await ledgerUserWallet(network).tap('2');
    const { amulets } = await ledgerUserWallet(network).expectOk('/wallet/amulets');
    const iso = (ms: number) => new Date(Date.now() + ms).toISOString();
    const argument = {
      expectedAdmin: dso,
      allocation: {
        settlement: {
          executor: appProvider,
          settlementRef: { id: 'by hand', cid: null },
          requestedAt: iso(-1_000),
          allocateBefore: iso(60_000),
          settleBefore: iso(120_000),
          meta: { values: {} },
        },
        transferLegId: 'leg',
        transferLeg: {
          sender: appUser,
          receiver: appProvider,
          amount: '2',
          instrumentId: { admin: dso, id: 'Amulet' },
          meta: { values: {} },
        },
      },
      requestedAt: iso(-1_000),
      inputHoldingCids: (amulets as Body[]).map(({ contract }) => contract.contract.contract_id),
      extraArgs: { context: { values: {} }, meta: { values: {} } },
    };
    const { json } = await registry(path, { body: { choiceArguments: argument } });
    const { factoryId, choiceContext } = json as Body;
    const interfaceId =
      '#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory';
    const context = choiceContext.choiceContextData;
    const choiceArgument = { ...argument, extraArgs: { context, meta: { values: {} } } };
    const exercise = {
      templateId: interfaceId,
      contractId: factoryId,
      choice: 'AllocationFactory_Allocate',
      choiceArgument,
    };
    const url = `${network.localnet.urls.participants['app-user'].json}/v2/commands/submit-and-wait`;
    const { status, text } = await http(network, url, {
      as: USER_PERSON,
      body: {
        commands: [{ ExerciseCommand: exercise }],
        commandId: 'allocate-by-hand',
        actAs: [appUser],
        disclosedContracts: choiceContext.disclosedContracts,
      },
    });
    expect([status, text]).toEqual([200, expect.stringContaining('updateId')]);
    const { allocations } = await ledgerUserWallet(network).expectOk('/allocations');
    expect(
      (allocations as Body[]).map(
        ({ contract }) => contract.payload.allocation.settlement.settlementRef.id,
      ),
    ).toContain('by hand');
  });

  test.each<[string, unknown]>([
    ['no arguments', {}],
    ['arguments that are none', { choiceArguments: 'x' }],
  ])('%s is refused', async (_what, body) => {
    const { status, json } = await registry(path, { body });
    expect([status, json]).toEqual([400, error]);
  });
});

describe('what a validator tells of the network', () => {
  const proxy = (path: string, as: Identity | string = PROVIDER_BACKEND) => {
    const { validator } = network.localnet.urls.participants['app-provider'];
    return http(network, `${validator}/api/validator/v0/scan-proxy${path}`, { as });
  };

  test('its rules and rounds', async () => {
    const rules = (await proxy('/amulet-rules')).json as Body;
    expect(rules).toEqual({
      amulet_rules: {
        contract: {
          template_id: expect.stringMatching(/:Splice\.AmuletRules:AmuletRules$/),
          contract_id: contractId,
          payload: expect.objectContaining({ dso: network.localnet.parties.dso }),
          created_event_blob: expect.any(String),
          created_at: expect.stringMatching(/Z$/),
        },
        domain_id: network.localnet.synchronizerId,
      },
    });
    const rounds = (await proxy('/open-and-issuing-mining-rounds')).json as Body;
    expect(rounds.open_mining_rounds).toHaveLength(1);
    expect(rounds.issuing_mining_rounds).toEqual([]);
  });

  test('and what it has none of', async () => {
    expect((await proxy('/featured-apps/somebody')).json).toEqual({});
    expect((await proxy('/ans-entries?page_size=10')).json).toEqual({ entries: [] });
    for (const path of [
      '/ans-entries/by-party/x',
      '/ans-entries/by-name/x',
      '/transfer-preapprovals/by-party/x',
    ]) {
      const { status, json } = await proxy(path);
      expect([path, status, json]).toEqual([path, 404, error]);
    }
  });

  test('to whoever has a token', async () => {
    for (const path of [
      '/amulet-rules',
      '/open-and-issuing-mining-rounds',
      '/ans-entries',
      '/dso-party-id',
    ]) {
      expect((await proxy(path, 'Bearer nonsense')).status).toBe(401);
    }
  });
});
