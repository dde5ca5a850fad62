import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AmuletAllocation } from '../../../localnet/ledger/amulet/amulet-allocation.ts';
import { Amulet } from '../../../localnet/ledger/amulet/amulet.ts';
import { returnArguments } from '../../kit/choice-contexts.ts';
import { PreferredPackages } from '../../../localnet/interactive/preferred-packages.ts';
import { isAuthentic } from '../../../localnet/ledger/contract.ts';
import { createAs, exerciseAs, heldContracts } from '../../../localnet/ledger/in-process.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import { AppInstallRequest } from '../../../localnet/ledger/licensing/app-install.ts';
import { licensingPackage } from '../../../localnet/ledger/licensing/package.ts';
import { INT64_MAX } from '../../../localnet/ledger/lf-values.ts';
import { Allocation, WithdrawAllocation } from '../../../localnet/ledger/tokens/allocation.ts';
import { EMPTY_METADATA } from '../../../localnet/ledger/tokens/metadata.ts';
import { PARTICIPANT_NAMES } from '../../../localnet/ports.ts';

/*
 * A journal that an earlier build of LocalNet wrote. The contracts in it have fewer fields than their templates have
 * now.
 */

const FIXTURE = new URL('../../fixtures/0f92c20/journal.jsonl.gz', import.meta.url);
const staticTime = '2026-11-02T07:01:00Z';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'localnet-earlier-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function restore(change: (journal: string) => string = (journal) => journal): void {
  const journal = gunzipSync(readFileSync(FIXTURE)).toString('utf8');
  writeFileSync(join(dataDir, 'journal.jsonl'), change(journal));
}

const open = () => LedgerNetwork.open({ dataDir, staticTime });

/** Returns all contracts that have ever existed. */
function contractsOf({ store }: LedgerNetwork) {
  const { contracts } = store.state;
  return Array.from({ length: contracts.count }, (_, number) => contracts.contract(number));
}

const transactionsOf = ({ store }: LedgerNetwork) =>
  PARTICIPANT_NAMES.flatMap((name) =>
    Array.from(store.state.participants[name].updates, ({ update }) => update),
  );

describe('an earlier journal', () => {
  test('keeps its rules as they were, and gets new ones', async () => {
    restore();
    const network = await open();
    const rules = contractsOf(network).filter(
      ({ template }) => template.name.entity === 'AmuletRules',
    );
    const [former, current] = rules;
    expect(rules).toHaveLength(2);
    expect(former?.payload).toEqual({ dso: network.parties.dso, isDevNet: true });
    expect(network.amuletContracts()?.amuletRules).toEqual(current);
    expect(current?.payload).toMatchObject({
      configSchedule: {
        initialValue: { decentralizedSynchronizer: { activeSynchronizer: network.synchronizerId } },
      },
    });
    expect(network.amuletContracts()?.openMiningRound.payload).toHaveProperty('transferConfigUsd');
    expect(contractsOf(network).every(isAuthentic)).toBe(true);
    await network.close();
    const again = await open();
    expect(again.amuletContracts()?.amuletRules.contractId).toBe(current?.contractId);
    await again.close();
  });

  test('tells what its choices were given and gave', async () => {
    restore();
    const network = await open();
    const choices = transactionsOf(network)
      .flatMap((update) => (update.kind === 'transaction' ? update.events : []))
      .filter((event) => event.kind === 'exercised');
    const paid = choices.find(({ choice }) => choice === 'AmuletRules_Transfer');
    expect(paid?.argument).toMatchObject({
      context: { openMiningRound: expect.stringMatching(/^00/) as string },
    });
    expect(paid?.result).toMatchObject({ amuletPrice: '0.0050000000', meta: null });
    await network.close();
  });

  test('is lived on in: what was set aside goes back by the new round', async () => {
    restore();
    const network = await open();
    const { appUser } = network.parties;
    const participant = network.participants['app-user'];
    const [allocated] = heldContracts(participant, appUser, AmuletAllocation);
    const { openMiningRound } = network.amuletContracts()!;
    const before = heldContracts(participant, appUser, Amulet).length;
    await exerciseAs(
      participant,
      {
        userId: 'app-user',
        actAs: [appUser],
        commandId: 'withdraw',
        target: Allocation,
        contractId: allocated!.contract.contractId,
        choice: WithdrawAllocation,
        argument: { extraArgs: returnArguments(openMiningRound.contractId, true) },
        disclosedContracts: [openMiningRound],
      },
      { signal: AbortSignal.timeout(10_000) },
    );
    expect(heldContracts(participant, appUser, Amulet)).toHaveLength(before + 1);
    await network.close();
  });

  test('keeps its package under the ID that it had, and its name means the one of today', async () => {
    restore();
    const network = await open();
    const { appUser, appProvider } = network.parties;
    const participant = network.participants['app-user'];
    const { packages } = participant;
    const named = packages.list().filter(({ name }) => name === licensingPackage.name);
    const [former] = named.map(({ id }) => id).filter((id) => id !== licensingPackage.id);
    expect(named.map(({ id, runs }) => [id, runs])).toEqual([
      [former, 'native'],
      [licensingPackage.id, 'native'],
    ]);
    const licensing = contractsOf(network).filter(
      ({ template }) => template.name.packageName === licensingPackage.name,
    );
    expect(new Set(licensing.map(({ packageId }) => packageId))).toEqual(new Set([former]));
    const { contract } = await createAs(
      participant,
      {
        userId: 'app-user',
        actAs: [appUser],
        commandId: 'request',
        template: AppInstallRequest,
        payload: { provider: appProvider, user: appUser, meta: EMPTY_METADATA },
      },
      { signal: AbortSignal.timeout(10_000) },
    );
    expect(contract.packageId).toBe(licensingPackage.id);
    const preferred = new PreferredPackages(participant).packages({
      packageVettingRequirements: [{ parties: [appUser], packageName: licensingPackage.name }],
      synchronizerId: '',
      vettingValidAt: undefined,
    });
    expect(preferred.packageReferences[0]?.packageId).toBe(licensingPackage.id);
    await network.close();
  });

  test('with an integer beyond 64 bits opens, and tells the largest one', async () => {
    restore((journal) =>
      journal.replaceAll('"licenseNum":"2"', '"licenseNum":"9223372036854775808"'),
    );
    const network = await open();
    const numbers = contractsOf(network).flatMap(({ payload }) => {
      const { licenseNum } = payload as { readonly licenseNum?: bigint };
      return licenseNum === undefined ? [] : [licenseNum];
    });
    expect(numbers).toContain(INT64_MAX);
    expect(numbers.every((number) => number <= INT64_MAX)).toBe(true);
    await network.close();
  });

  test('with a text that is none opens, and tells what is legible of it', async () => {
    restore((journal) =>
      journal.replace(
        '"installMeta":{"values":{',
        '"installMeta":{"values":{"a\\u0000b":"c\\ud800",',
      ),
    );
    const network = await open();
    const metas = transactionsOf(network)
      .flatMap((update) => (update.kind === 'transaction' ? update.events : []))
      .flatMap((event) => (event.kind === 'exercised' ? [event.argument] : []))
      .flatMap((argument) => {
        const { installMeta } = argument as { installMeta?: { values: Map<string, string> } };
        return installMeta === undefined ? [] : [...installMeta.values];
      });
    expect(metas).toContainEqual(['a�b', 'c�']);
    await network.close();
  });

  test('that does not fit its types otherwise is refused', async () => {
    restore((journal) => journal.replace('"licenseNum":"2"', '"licenseNum":"two"'));
    await expect(open()).rejects.toThrow(/cannot be read/);
  });
});
