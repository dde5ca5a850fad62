import { AmuletAllocation } from '../../../localnet/ledger/amulet/amulet-allocation.ts';
import { transferArguments } from '../../kit/choice-contexts.ts';
import { disclosureJson, heldContract } from '../../../localnet/ledger/in-process.ts';
import type { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import { toJson } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { ExtraArgs } from '../../../localnet/ledger/tokens/metadata.ts';
import type { SimProcess } from './process.ts';
import type { World } from './world.ts';

interface Answer {
  readonly status: number;
  readonly body: Json;
}

const EXECUTE = /^\/registry\/allocations\/v1\/([0-9a-f]+)\/choice-contexts\/execute-transfer$/u;

/** Answers the requests that Tenure makes to LocalNet's registry, without the registry's HTTP server. */
function answerOf(network: LedgerNetwork, path: string): Answer {
  const { dso } = network.parties;
  if (path === '/registry/metadata/v1/info') {
    return { status: 200, body: { adminId: dso, supportedApis: {} } };
  }
  const id = EXECUTE.exec(path)?.[1] ?? '';
  const contracts = network.amuletContracts();
  const held = heldContract(network.participants.sv, dso, AmuletAllocation, id);
  const locked = network.lockedAmuletOf(id);
  if (contracts === undefined || held === undefined || locked === undefined) {
    return { status: 404, body: { error: `AmuletAllocation '${id}' not found.` } };
  }
  const { amuletRules, openMiningRound } = contracts;
  const args = transferArguments(amuletRules.contractId, openMiningRound.contractId);
  const { context } = toJson(ExtraArgs, args) as { readonly context: Json };
  const disclosedContracts = [amuletRules, openMiningRound, locked].map((contract) =>
    disclosureJson(contract, network.synchronizerId),
  );
  return { status: 200, body: { choiceContextData: context, disclosedContracts } };
}

/** Returns a `fetch` with which a simulated process calls the token registry. */
export function registryFetch(world: World, process: SimProcess) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { clock, weather, ledger } = world;
    const { signal } = init;
    const asked = process.call(async () => {
      await clock.pass(weather.hopMs());
      if (weather.strikes('registry-away')) {
        if (weather.random.chance(0.5)) throw new TypeError('fetch failed');
        await clock.pass(10 * 60_000);
      }
      const answer: Answer = weather.strikes('registry-unknowing')
        ? { status: weather.random.pick([404, 409, 500, 503]), body: { error: 'not now' } }
        : answerOf(ledger.network, new URL(String(url)).pathname);
      await clock.pass(weather.hopMs());
      return answer;
    });
    const { status, body } = await new Promise<Answer>((resolve, reject) => {
      const abort = () => reject(signal?.reason as Error);
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort, { once: true });
      asked.then(resolve, reject);
    });
    const text = JSON.stringify(body);
    return { status, ok: status < 300, text: () => Promise.resolve(text) } as Response;
  };
}
