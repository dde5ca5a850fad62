import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { ClientError } from 'nice-grpc-common';
import { CommandProgress } from '../../../localnet/grpc/command-progress.ts';
import { Encoder } from '../../../localnet/grpc/encode.ts';
import { grpcStatusOf, wireStatus } from '../../../localnet/grpc/errors.ts';
import { commandCompletionService } from '../../../localnet/grpc/services/command-completion.ts';
import { commandSubmissionService } from '../../../localnet/grpc/services/command-submission.ts';
import { stateService } from '../../../localnet/grpc/services/state.ts';
import { timeService } from '../../../localnet/grpc/services/time.ts';
import { updateService } from '../../../localnet/grpc/services/update.ts';
import { userManagementService } from '../../../localnet/grpc/services/user-management.ts';
import { AmuletAllocation } from '../../../localnet/ledger/amulet/amulet-allocation.ts';
import { transferArguments } from '../../kit/choice-contexts.ts';
import { disclosureJson, heldContract } from '../../../localnet/ledger/in-process.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import { toJson } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { ExtraArgs } from '../../../localnet/ledger/tokens/metadata.ts';
import { UserManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { CommandCompletionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandSubmissionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { StateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { TimeServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { UpdateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { ErrorInfo } from '../../../proto/gen/google/rpc/error_details.ts';
import type { Hosting, LedgerGateway, LedgerStreams } from '../../../src/app/ports/ledger.ts';
import type { TokenRegistry } from '../../../src/app/ports/registry.ts';
import type { LedgerClock } from '../../../src/app/ports/clocks.ts';
import type { ParticipantName, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { typesOf } from '../../../src/app/contract/model.ts';
import type { Participant } from '../../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../../src/ledger/gateway.ts';
import { createHosting } from '../../../src/ledger/hosting.ts';
import { createStaticLedgerClock } from '../../../src/ledger/ledger-clock.ts';
import { LedgerCallError } from '../../../src/ledger/outcome.ts';
import { createLedgerRights, readRights } from '../../../src/ledger/rights.ts';
import { createLedgerStreams } from '../../../src/ledger/streams.ts';
import { createTokenRegistry } from '../../../src/ledger/token-registry.ts';
import { BACKEND_USERS, PARTICIPANTS } from '../../sim/kit/ledger.ts';
import type { Side } from '../../sim/kit/ledger.ts';
import { IO, NEVER } from './io.ts';

/*
 * LocalNet's ledger in this process, with its own services and Tenure's readers, without a connection between them.
 * Every call is answered at once, nothing is lost, and time advances only when a test advances it.
 */

const PROVIDER = trusted<ParticipantName>('app-provider');

interface Method {
  readonly requestType: { fromPartial(partial: never): unknown };
  readonly responseStream: boolean;
}

interface Definition {
  readonly methods: Readonly<Record<string, Method>>;
}

type Handler = (request: unknown, call: object) => Promise<unknown> | AsyncIterable<unknown>;

/** Returns an error as the client would read it from the trailers of an answer. */
function refusal(error: unknown, path: string): unknown {
  if (!(error instanceof LedgerError)) return error;
  const { details, message } = wireStatus(error, { traceId: 'trace' });
  const info = details.find(({ typeUrl }) => typeUrl.endsWith('/google.rpc.ErrorInfo'));
  return new LedgerCallError(new ClientError(path, grpcStatusOf(error.code), message), {
    errorInfo: info === undefined ? null : ErrorInfo.decode(info.value),
    unsent: false,
  });
}

/** Returns a client that calls a service of this process directly. */
function client(definition: Definition, service: object, call: () => object): object {
  const methods = Object.entries(definition.methods).map(([name, method]) => {
    const handler = (service as Readonly<Record<string, Handler>>)[name]?.bind(service);
    const read = (partial: unknown) => method.requestType.fromPartial(partial as never);
    const answer = async (partial: unknown) => {
      try {
        return await handler?.(read(partial), call());
      } catch (error) {
        throw refusal(error, name);
      }
    };
    async function* stream(partial: unknown) {
      try {
        yield* handler?.(read(partial), call()) as AsyncIterable<unknown>;
      } catch (error) {
        throw refusal(error, name);
      }
    }
    return [name, method.responseStream ? stream : answer] as const;
  });
  return Object.fromEntries(methods);
}

function participantOf(network: LedgerNetwork, side: Side): Participant {
  const node = network.participants[side];
  const encoder = new Encoder(node);
  const settings = {
    checkpointIntervalMs: 60_000,
    participantIdOf: (name: keyof typeof network.participants) =>
      network.participants[name].participantId,
  };
  const call = () => ({
    access: node.access(BACKEND_USERS[side]),
    traceContext: { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` },
    stop: NEVER,
    endOfStream: () => new Error('the stream ends'),
  });
  const of = (definition: Definition, service: object) => client(definition, service, call);
  return {
    name: trusted<ParticipantName>(side),
    submission: of(
      CommandSubmissionServiceDefinition,
      commandSubmissionService(node, new CommandProgress(node, encoder)),
    ),
    completion: of(
      CommandCompletionServiceDefinition,
      commandCompletionService(node, encoder, settings),
    ),
    update: of(UpdateServiceDefinition, updateService(node, encoder, settings)),
    state: of(StateServiceDefinition, stateService(node, encoder, settings)),
    userManagement: of(UserManagementServiceDefinition, userManagementService(node)),
    time: of(TimeServiceDefinition, timeService(network)),
    connection: { current: () => 1, awaited: async () => undefined },
    close: () => undefined,
  } as unknown as Participant;
}

const EXECUTE = /^\/registry\/allocations\/v1\/([0-9a-f]+)\/choice-contexts\/execute-transfer$/u;

/** Returns the answer that the network's registry would give, without the registry's server. */
function registryAnswer(network: LedgerNetwork, path: string): Response {
  if (path === '/registry/metadata/v1/info') return Response.json({ adminId: network.parties.dso });
  const id = EXECUTE.exec(path)?.[1] ?? '';
  const contracts = network.amuletContracts();
  const held = heldContract(network.participants.sv, network.parties.dso, AmuletAllocation, id);
  const locked = network.lockedAmuletOf(id);
  if (contracts === undefined || held === undefined || locked === undefined) {
    return Response.json({ error: `AmuletAllocation '${id}' not found.` }, { status: 404 });
  }
  const { amuletRules, openMiningRound } = contracts;
  const args = transferArguments(amuletRules.contractId, openMiningRound.contractId);
  const { context } = toJson(ExtraArgs, args) as { readonly context: Json };
  return Response.json({
    choiceContextData: context,
    disclosedContracts: [amuletRules, openMiningRound, locked].map((contract) =>
      disclosureJson(contract, network.synchronizerId),
    ),
  });
}

const registryOf = (network: LedgerNetwork): TokenRegistry =>
  createTokenRegistry({
    baseUri: 'http://registry',
    wallClock: { nowMs: () => 0 },
    fetch: async (url) => registryAnswer(network, new URL(String(url)).pathname),
  });

/** The ledger as Tenure sees it, on a network of its own. */
export interface QuietLedger extends AsyncDisposable {
  readonly network: LedgerNetwork;
  readonly provider: Party;
  /** The parties of two users, on the users' participant. */
  readonly users: readonly [Party, Party];
  /** Returns the ledger users that the backend has on a participant. There is only one. */
  usersOf(side: keyof typeof BACKEND_USERS): readonly string[];
  readonly gateway: LedgerGateway;
  readonly streams: LedgerStreams;
  readonly hosting: Hosting;
  readonly registry: TokenRegistry;
  readonly ledgerClock: LedgerClock;
}

/** @param staticTime the ledger time at the start, in ISO 8601 */
export async function openQuietLedger(staticTime: string): Promise<QuietLedger> {
  const network = await LedgerNetwork.open({ staticTime });
  const { users, parties } = network.participants['app-user'];
  const other = parties.allocate('other').party;
  users.grant(BACKEND_USERS['app-user'], [
    { kind: 'canActAs', party: network.parties.appUser },
    { kind: 'canActAs', party: other },
  ]);
  const participants = PARTICIPANTS.map((side) => participantOf(network, side));
  const told = participants.map(async (participant) => ({
    participant,
    rights: await readRights(participant, IO),
    isFresh: true,
  }));
  const rights = createLedgerRights(await Promise.all(told), { nowMs: () => 0 });
  const provider = trusted<Party>(network.parties.appProvider);
  const names = participants.map(({ name }) => name);
  return {
    network,
    provider,
    users: [trusted<Party>(network.parties.appUser), trusted<Party>(other)],
    usersOf: (side) => [BACKEND_USERS[side]],
    gateway: createLedgerGateway({ argumentsOf: NEWEST_MODEL.argumentsOf, participants, rights }),
    streams: createLedgerStreams({
      participants,
      projected: PROVIDER,
      readAs: [provider],
      wanted: typesOf(NEWEST_MODEL),
      rights,
    }),
    hosting: createHosting({ provider, projected: PROVIDER, participants: names, rights }),
    registry: registryOf(network),
    ledgerClock: createStaticLedgerClock(participants[0]!, 0),
    [Symbol.asyncDispose]: () => network.close(),
  };
}
