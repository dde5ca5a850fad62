import { afterAll, expect, test } from 'vitest';
import { AmuletRules, DevNetFeatureApp } from '../../../localnet/ledger/amulet/amulet-rules.ts';
import { exerciseAs, heldContracts } from '../../../localnet/ledger/in-process.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import {
  ActivityMarker,
  CreateActivityMarker,
  FeaturedApp,
} from '../../../localnet/ledger/tokens/featured-app.ts';

/* The records that a featured app was used. They are created through the public interface, as real apps do it. */

const network = await LedgerNetwork.open();
afterAll(() => network.close());

const { appProvider, appUser, dso } = network.parties;
const participant = network.participants['app-provider'];
const waiting = { signal: new AbortController().signal };
let commands = 0;
const asProvider = () => {
  commands += 1;
  return { userId: 'app', actAs: [appProvider], commandId: `app-${commands}` };
};

const { amuletRules } = network.amuletContracts()!;
const { result: featured } = await exerciseAs(
  participant,
  {
    ...asProvider(),
    target: AmuletRules,
    contractId: amuletRules.contractId,
    choice: DevNetFeatureApp,
    argument: { provider: appProvider },
    disclosedContracts: [amuletRules],
  },
  waiting,
);

const record = (shares: Readonly<Record<string, string>>) =>
  exerciseAs(
    participant,
    {
      ...asProvider(),
      target: FeaturedApp,
      contractId: featured.featuredAppRightCid,
      choice: CreateActivityMarker,
      argument: {
        beneficiaries: Object.entries(shares).map(([beneficiary, weight]) => ({
          beneficiary,
          weight,
        })),
      },
    },
    waiting,
  );

test('an app records its use, with a marker for each who is to be rewarded', async () => {
  const { result } = await record({ [appProvider]: '0.7500000000', [appUser]: '0.2500000000' });
  const held = heldContracts(participant, appProvider, ActivityMarker);
  expect(held.map(({ contract }) => contract.contractId).toSorted()).toEqual(
    result.activityMarkerCids.toSorted(),
  );
  expect(held.map(({ value }) => value)).toEqual(
    expect.arrayContaining([
      { dso, provider: appProvider, beneficiary: appProvider, weight: '0.7500000000' },
      { dso, provider: appProvider, beneficiary: appUser, weight: '0.2500000000' },
    ]),
  );
});

test.each([
  ['more than all', { [appProvider]: '0.7500000000', [appUser]: '0.7500000000' }, 'add up to 1.0'],
  ['a share of nothing', { [appProvider]: '1.0000000000', [appUser]: '0.0000000000' }, 'between'],
])('it gives nobody %s', async (_what, shares, words) => {
  await expect(record(shares)).rejects.toThrow(words);
});
