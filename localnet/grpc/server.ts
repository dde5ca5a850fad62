import { createServer as createProbe } from 'node:net';
import { createServer } from 'nice-grpc';
import type { Server, ServerAddBuilder } from 'nice-grpc';
import { CommandInspectionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import { IdentityProviderConfigServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import { PackageManagementServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import { ParticipantPruningServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/participant_pruning_service.ts';
import { PartyManagementServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { UserManagementServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { CommandCompletionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { CommandSubmissionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { ContractServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/contract_service.ts';
import { EventQueryServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/event_query_service.ts';
import { InteractiveSubmissionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { PackageServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { StateServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { TimeServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { UpdateServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { VersionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import type { TokenVerifier } from '../auth/verify.ts';
import type { FaultPlan } from '../faults.ts';
import type { Log } from '../log.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { LedgerNetwork } from '../ledger/ledger-network.ts';
import type { ParticipantName } from '../ports.ts';
import { callMiddleware } from './call.ts';
import type { Call } from './call.ts';
import { addReflection } from './reflection.ts';
import { followConnections } from './connections.ts';
import type { Connections } from './connections.ts';
import { deadlineInterceptor } from './deadline.ts';
import type { ParticipantServices } from './participant-services.ts';
import { healthService } from './services/health.ts';
import { timeService } from './services/time.ts';
import { withUnreadable } from './unreadable.ts';

/** The maximum size of inbound messages, which is large enough for a DAR. */
const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
/** How long the server waits, when it stops, for unary calls in progress. */
const GRACE_MS = 2000;
/** The time without traffic after which the server pings a connection. It is a participant's default. */
const KEEPALIVE_MS = 10 * 60_000;
/** The time within which a client must answer a ping. */
const KEEPALIVE_TIMEOUT_MS = 20_000;

export interface GrpcServerOptions {
  readonly network: LedgerNetwork;
  readonly participant: ParticipantName;
  readonly services: ParticipantServices;
  readonly verify: TokenVerifier;
  readonly faults: FaultPlan;
  readonly log: Log;
  readonly host: string;
  /** `0` stands for a free port. */
  readonly port: number;
}

export interface GrpcServer extends AsyncDisposable {
  readonly port: number;
  /** Resets all connections and stops listening at once, like a killed process. */
  drop(): void;
  /** Ends streams with UNAVAILABLE, waits briefly for other calls, and stops listening. Safe to call twice. */
  stop(): Promise<void>;
}

/** Starts the Ledger API of one participant. Rejects with a readable error if the port is in use. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { network, services, verify, faults, log } = options;
  const participant = network.participants[options.participant];
  const closing = new AbortController();
  const server = createServer({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': -1,
    // Without this option, a second server could listen on the same port and would get some of its connections.
    'grpc.so_reuseport': 0,
    // Without keepalive, streams of clients that have vanished would stay open forever.
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    interceptors: [deadlineInterceptor],
  });
  let connections: Connections | undefined;
  // The names of the served services, for health and reflection.
  const names: string[] = [];
  const behindTokens = server.with(
    callMiddleware({
      participant,
      verify,
      faults,
      log,
      closing: closing.signal,
      resetConnection: (peer) => connections?.reset(peer),
      nowMs: Date.now,
    }),
  );
  const guarded = naming(behindTokens, names);
  const { isTimeStatic } = network;
  guarded.add(CommandSubmissionServiceDefinition, services.submissions);
  guarded.add(InteractiveSubmissionServiceDefinition, services.interactive);
  guarded.add(CommandServiceDefinition, services.commands);
  guarded.add(CommandInspectionServiceDefinition, services.inspection);
  guarded.add(ParticipantPruningServiceDefinition, services.pruning);
  guarded.add(IdentityProviderConfigServiceDefinition, services.identityProviders);
  guarded.add(CommandCompletionServiceDefinition, services.completions);
  guarded.add(UpdateServiceDefinition, services.updates);
  guarded.add(StateServiceDefinition, services.state);
  guarded.add(EventQueryServiceDefinition, services.events);
  guarded.add(ContractServiceDefinition, services.contracts);
  guarded.add(PackageServiceDefinition, services.packages);
  guarded.add(PackageManagementServiceDefinition, services.packageManagement);
  guarded.add(PartyManagementServiceDefinition, services.parties);
  guarded.add(UserManagementServiceDefinition, services.users);
  guarded.add(VersionServiceDefinition, services.version);
  if (isTimeStatic) guarded.add(TimeServiceDefinition, timeService(network));
  names.push(HealthDefinition.fullName);
  server.add(
    HealthDefinition,
    healthService(new Set(names), closing.signal, () => participant.untilReading()),
  );
  addReflection(server, names);

  await requireFree(options.host, options.port);
  const port = await server.listen(`${options.host}:${options.port}`);
  connections = followConnections(port);
  const shutDown = () =>
    closing.abort(
      new LedgerError('SERVICE_NOT_RUNNING', `${options.participant} is shutting down`),
    );
  return running(server, port, { connections, shutDown });
}

/** Records the names of the services that are added. */
const naming = (services: ServerAddBuilder<Call>, names: string[]): ServerAddBuilder<Call> => ({
  with: (middleware) => services.with(middleware),
  add(definition, implementation) {
    if (typeof definition.fullName === 'string') names.push(definition.fullName);
    services.add(withUnreadable(definition), implementation);
  },
});

/** Returns the handle of a server that listens. */
function running(
  server: Server,
  port: number,
  { connections, shutDown }: { readonly connections: Connections; readonly shutDown: () => void },
): GrpcServer {
  const drop = () => {
    connections.resetAll();
    shutDown();
    server.forceShutdown();
  };
  const stop = async () => {
    shutDown();
    const force = setTimeout(() => server.forceShutdown(), GRACE_MS);
    try {
      await server.shutdown();
    } finally {
      clearTimeout(force);
      connections[Symbol.dispose]();
    }
  };
  return { port, drop, stop, [Symbol.asyncDispose]: stop };
}

/**
 * Checks that the port is free. The error names the port's purpose, because gRPC reports a port in use only vaguely and
 * on the console.
 */
function requireFree(host: string, port: number): Promise<void> {
  if (port === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const probe = createProbe();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Error(`cannot serve the Ledger API on ${host}:${port}: ${error.code ?? error.message}`),
      );
    });
    probe.listen({ host, port }, () => void probe.close(() => resolve()));
  });
}
