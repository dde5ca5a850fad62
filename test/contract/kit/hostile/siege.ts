import { drawsOf } from '../../../../chaos/draws.ts';
import type { Draws } from '../../../../chaos/draws.ts';
import type { Localnet } from '../../../../localnet/localnet.ts';
import type { LedgerClients } from '../clients.ts';
import { ledgerEnd } from '../commands.ts';
import { eventsOf, LEDGER_EFFECTS, updatesOf } from '../formats.ts';
import { makeHistory } from '../history.ts';
import type { Sides } from '../licensing.ts';
import type { Network } from '../network.ts';
import { readAll } from '../streams.ts';
import { selfSignedToken } from '../tokens.ts';
import { hostileRequest, ledgerMethods, RawCaller } from './grpc.ts';
import type { Fate, Seed } from './grpc.ts';
import { callJson, callSocket, jsonOperations } from './json.ts';
import { seedsOf } from './seeds.ts';
import type { Words } from './words.ts';

/**
 * The user name of the caller. It is an administrator who may act as two parties. If it deletes its own rights, the
 * test restores them.
 */
const HOSTILE = 'hostile';
/** The user with which the test checks the ledger afterwards and restores the caller. */
const ROOT = 'ledger-api-user';
const AT_ONCE = 24;
/** The number of calls after which the IDs that exist are read from the ledger again. */
const ROUND = 240;

export type Besieged = Network<Localnet>;

/** A network in which programs sign their own tokens, with the hostile caller and a user that restores it. */
export interface Camp {
  readonly network: Besieged;
  readonly root: LedgerClients;
  readonly sides: Sides;
  readonly token: string;
}

const RIGHTS = (sides: Sides) => [
  { kind: { $case: 'participantAdmin' as const, value: {} } },
  { kind: { $case: 'canReadAsAnyParty' as const, value: {} } },
  ...[sides.user, sides.provider].map((party) => ({
    kind: { $case: 'canActAs' as const, value: { party } },
  })),
];

/** @param network a network in mode `shared-secret` */
export async function pitchCamp(network: Besieged): Promise<Camp> {
  const root = network.bearing('app-user', () => selfSignedToken());
  const allocate = async (partyIdHint: string): Promise<string> =>
    (await root.partyAdmin.allocateParty({ partyIdHint })).partyDetails!.party;
  const sides = { user: await allocate('besieged-user'), provider: await allocate('besieged') };
  await root.userAdmin.grantUserRights({ userId: ROOT, rights: RIGHTS(sides) });
  const camp = { network, root, sides, token: await selfSignedToken({ userId: HOSTILE }) };
  await restore(camp);
  await makeHistory(root, sides);
  return camp;
}

/** Restores the hostile caller, because it may have deleted or deactivated itself. */
async function restore({ root, sides }: Camp): Promise<void> {
  const { users } = await root.userAdmin.listUsers({});
  if (users.some(({ id, isDeactivated }) => id === HOSTILE && isDeactivated)) {
    await root.userAdmin.deleteUser({ userId: HOSTILE });
  }
  if (!users.some(({ id, isDeactivated }) => id === HOSTILE && !isDeactivated)) {
    await root.userAdmin.createUser({
      user: {
        id: HOSTILE,
        primaryParty: '',
        isDeactivated: false,
        metadata: undefined,
        identityProviderId: '',
      },
    });
  }
  await root.userAdmin.grantUserRights({ userId: HOSTILE, rights: RIGHTS(sides) });
}

async function activeOf(root: LedgerClients, party: string) {
  const read = root.state.getActiveContracts({
    activeAtOffset: await ledgerEnd(root),
    eventFormat: eventsOf([party], { blobs: true }),
  });
  return (await readAll(read)).flatMap(({ contractEntry }) =>
    contractEntry?.$case === 'activeContract' ? [contractEntry.value.createdEvent!] : [],
  );
}

/** Reads what exists on the ledger, and makes valid requests about it. */
async function lookAround({
  network,
  root,
  sides,
}: Camp): Promise<{ words: Words; seeds: readonly Seed[] }> {
  const active = (await activeOf(root, sides.user)).slice(-12);
  const ids = active.map(({ templateId }) => templateId!);
  const end = await ledgerEnd(root);
  const words: Words = {
    parties: [sides.user, sides.provider, 'nobody::1220'],
    users: [HOSTILE, 'app-user', 'somebody'],
    contracts: active.map(({ contractId }) => contractId),
    packages: ['#quickstart-licensing', '#splice-amulet', ...ids.map(({ packageId }) => packageId)],
    modules: ids.map(({ moduleName }) => moduleName),
    entities: ids.map(({ entityName }) => entityName),
    choices: ['Archive', 'AppInstall_CreateLicense', 'AppInstallRequest_Accept', 'License_Renew'],
    labels: ['meta', 'params', 'provider', 'user', 'numLicensesCreated', 'expiresAt'],
    blobs: active.map(({ createdEventBlob }) => createdEventBlob),
    synchronizer: network.localnet.synchronizerId,
    ledgerEnd: end,
  };
  return { words, seeds: seedsOf({ sides, active, end, userId: HOSTILE }) };
}

interface Round {
  readonly words: Words;
  readonly seeds: readonly Seed[];
}

/** A function that makes one call of some kind. */
type Attack = (round: Round, draws: Draws) => Promise<Fate>;

/**
 * Makes this number of calls, some of them at the same time. At the beginning of every round, reads the IDs that exist
 * again.
 */
async function besiege(
  camp: Camp,
  {
    calls,
    seed,
    attack,
  }: { readonly calls: number; readonly seed: string; readonly attack: Attack },
): Promise<readonly Fate[]> {
  const draws = drawsOf(seed);
  const fates: Fate[] = [];
  while (fates.length < calls) {
    await restore(camp);
    const around = await lookAround(camp);
    let left = Math.min(ROUND, calls - fates.length);
    const one = async (own: Draws): Promise<void> => {
      while (left > 0) {
        left -= 1;
        fates.push(await attack(around, own));
      }
    };
    const round = `${fates.length}`;
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(draws.fork(`${round}/${n}`))));
  }
  return fates;
}

/** Makes gRPC calls of every method except those that set a static clock. The calls must do no damage. */
export async function besiegeGrpc(
  camp: Camp,
  calls: number,
  seed: string,
): Promise<readonly Fate[]> {
  const methods = [...ledgerMethods().values()].filter(
    ({ parent }) => parent.name !== 'TimeService',
  );
  using caller = new RawCaller(
    camp.network.localnet.urls.participants['app-user'].ledger,
    camp.token,
  );
  const attack: Attack = ({ words, seeds }, draws) => {
    const method = draws.pick(methods);
    return caller.call(method, hostileRequest(method, seeds, words, draws));
  };
  return await besiege(camp, { calls, seed, attack });
}

const STREAMS: ReadonlySet<string> = new Set([
  '/v2/updates',
  '/v2/updates/flats',
  '/v2/updates/trees',
  '/v2/state/active-contracts',
  '/v2/commands/completions',
]);
const SOCKET_SHARE = 0.2;

/** Makes calls of the JSON API, some of them over WebSockets. The calls must do no damage. */
export async function besiegeJson(
  camp: Camp,
  calls: number,
  seed: string,
): Promise<readonly Fate[]> {
  const base = camp.network.localnet.urls.participants['app-user'].json;
  const operations = await jsonOperations(base);
  const streams = operations.filter(({ path, method }) => STREAMS.has(path) && method === 'POST');
  const attack: Attack = ({ words }, draws) => {
    const making = { words, draws };
    return draws.next() < SOCKET_SHARE
      ? callSocket(base, camp.token, draws.pick(streams), making)
      : callJson(base, camp.token, draws.pick(operations), making);
  };
  return await besiege(camp, { calls, seed, attack });
}

/** Error codes that mean that the participant itself has failed. */
const AT_A_LOSS: ReadonlySet<string> = new Set(['INTERNAL', 'UNKNOWN', 'UNAVAILABLE', 'DATA_LOSS']);

/** Returns the calls that failed with another error than one of the participant's own refusals. */
export const notRefused = (fates: readonly Fate[]): readonly Fate[] =>
  fates.filter(({ code }) => AT_A_LOSS.has(code));

/** Reads everything that the parties of the participant see, from the oldest update that is kept. */
export async function readEverything({ root }: Camp): Promise<{ active: number; updates: number }> {
  const { participantPrunedUpToInclusive } = await root.state.getLatestPrunedOffsets({});
  const end = await ledgerEnd(root);
  const { partyDetails } = await root.partyAdmin.listKnownParties({});
  let [active, updates] = [0, 0];
  for (const { party } of partyDetails.filter(({ isLocal }) => isLocal)) {
    active += (await activeOf(root, party)).length;
    const read = root.updates.getUpdates({
      beginExclusive: participantPrunedUpToInclusive,
      endInclusive: end,
      updateFormat: updatesOf(LEDGER_EFFECTS, [party], { blobs: true }),
    });
    updates += (await readAll(read)).length;
  }
  return { active, updates };
}
