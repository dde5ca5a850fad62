import type { ServerMiddleware } from 'nice-grpc-common';
import { TokenRejected } from '../../../localnet/auth/verify.ts';
import { callMiddleware } from '../../../localnet/grpc/call.ts';
import { CommandProgress } from '../../../localnet/grpc/command-progress.ts';
import { Encoder } from '../../../localnet/grpc/encode.ts';
import { commandCompletionService } from '../../../localnet/grpc/services/command-completion.ts';
import { commandSubmissionService } from '../../../localnet/grpc/services/command-submission.ts';
import { stateService } from '../../../localnet/grpc/services/state.ts';
import { timeService } from '../../../localnet/grpc/services/time.ts';
import { updateService } from '../../../localnet/grpc/services/update.ts';
import type { StreamSettings } from '../../../localnet/grpc/services/update.ts';
import { userManagementService } from '../../../localnet/grpc/services/user-management.ts';
import { versionService } from '../../../localnet/grpc/services/version.ts';
import { NO_FAULTS } from '../../../localnet/faults.ts';
import type { LedgerConditions } from '../../../localnet/ledger/conditions.ts';
import { AS_CONFIGURED } from '../../../localnet/ledger/conditions.ts';
import { entropy, newTraceparent } from '../../../localnet/ledger/entropy.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import { memoryJournal } from '../../../localnet/ledger/journal.ts';
import type { Journal } from '../../../localnet/ledger/journal.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import type { ParticipantName as LocalName } from '../../../localnet/ports.ts';
import { PartyManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { UserManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { CommandCompletionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { SubmitRequest } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { CommandSubmissionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { StateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { TimeServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { UpdateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { VersionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { AccessTokens } from '../../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../../src/ledger/channel.ts';
import { callPath } from '../../../src/ledger/channel.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { clientOf } from './wire.ts';
import type { Implementation, Line, ServiceDefinition } from './wire.ts';

/** The participants that Tenure uses. It prefers those that come first. */
export const PARTICIPANTS = ['app-provider', 'app-user'] as const;
export type Side = (typeof PARTICIPANTS)[number];

/** The first ledger users of the backend, as in the reference's network. */
export const BACKEND_USERS: Readonly<Record<Side, string>> = {
  'app-provider': '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
  'app-user': '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
};

type Conditions = { -readonly [K in keyof LedgerConditions]: LedgerConditions[K] };

export interface SimLedgerOptions {
  readonly latencyMs: number;
  readonly checkpointIntervalMs: number;
  readonly maxDeduplicationDurationMs: number;
  /** The number of parties on the users' participant in addition to its initial one. */
  readonly moreUsers: number;
}

/** The parts of a connection that do not depend on the service: its process, its faults and its tokens. */
export type Connection = Omit<Line, 'client' | 'server'> & { readonly tokens: AccessTokens };

/**
 * Returns a token without a signature, which consists of its subject and its expiry. No token is forged in the
 * simulation.
 */
export const tokenFor = (ledgerUser: string, expiresAtMs: number): string =>
  `${ledgerUser} ${expiresAtMs}`;

/** The network in this process: LocalNet's ledger with its own gRPC services, but without a port. */
export class SimLedger {
  readonly provider: Party;
  readonly users: readonly Party[];
  readonly maxDeduplicationMs: number;
  readonly #options: SimLedgerOptions;
  readonly #journal: Journal;
  readonly #users: Record<Side, readonly string[]> = {
    'app-provider': [BACKEND_USERS['app-provider']],
    'app-user': [BACKEND_USERS['app-user']],
  };
  readonly #conditions: Conditions;
  #network: LedgerNetwork;
  #services: Services;

  private constructor(
    network: LedgerNetwork,
    journal: Journal,
    conditions: Conditions,
    options: SimLedgerOptions,
  ) {
    this.#network = network;
    this.#journal = journal;
    this.#conditions = conditions;
    this.#options = options;
    this.maxDeduplicationMs = options.maxDeduplicationDurationMs;
    this.provider = trusted<Party>(network.parties.appProvider);
    this.users = usersOf(network, options.moreUsers);
    this.#services = allServicesOf(network, options);
  }

  /** Returns the ledger users that the backend has had on a participant. The current one is the last. */
  usersOf(side: Side): readonly string[] {
    return this.#users[side];
  }

  /** Creates another ledger user with the same rights. Processes that are started after this get its token. */
  rotateUser(side: Side): string {
    const known = this.#users[side];
    const { users } = this.#network.participants[side];
    const id = `${BACKEND_USERS[side]}-${known.length}`;
    users.create({ id }, users.rightsOf(known.at(-1) ?? ''));
    this.#users[side] = [...known, id];
    return id;
  }

  /** The network since its last restart. */
  get network(): LedgerNetwork {
    return this.#network;
  }

  static async open(options: SimLedgerOptions): Promise<SimLedger> {
    // Empties the pool of random bytes, so that earlier histories do not influence this one.
    entropy(8_192);
    const journal = memoryJournal();
    const conditions = { ...AS_CONFIGURED };
    const network = await LedgerNetwork.open({ ...options, journal, conditions });
    return new SimLedger(network, journal, conditions, options);
  }

  /** Sets by how many milliseconds each participant's clock is ahead of the network's clock. */
  set skewMs(skewMs: Readonly<Record<Side, number>>) {
    this.#conditions.skewMicros = (name) => (name === 'sv' ? 0n : BigInt(skewMs[name]) * 1000n);
  }

  /**
   * Ends the network as if its process had been killed, and starts it again with its journal. Data that was not written
   * is lost, and submissions that were sequenced without a verdict have timed out.
   */
  async restart(): Promise<void> {
    await this.#network.close();
    this.#network = await LedgerNetwork.open({
      ...this.#options,
      journal: this.#journal,
      conditions: this.#conditions,
    });
    this.#services = allServicesOf(this.#network, this.#options);
  }

  /** Returns a participant as one of Tenure's processes uses it. */
  connect(side: Side, connection: Connection): Participant {
    const line: Line = {
      ...connection,
      client: callPath(connection.tokens),
      server: (refusal) => this.#middleware(side, refusal),
    };
    // The returned client is always that of the requested service. The types here cannot express this.
    const client = (definition: ServiceDefinition): never =>
      clientOf(line, definition, () => {
        const implementation = this.#services[side].get(definition);
        if (implementation === undefined) throw new TypeError(`no ${definition.fullName}`);
        return implementation;
      }) as never;
    return {
      name: trusted(side),
      submission: client(CommandSubmissionServiceDefinition),
      completion: client(CommandCompletionServiceDefinition),
      update: client(UpdateServiceDefinition),
      state: client(StateServiceDefinition),
      userManagement: client(UserManagementServiceDefinition),
      partyManagement: client(PartyManagementServiceDefinition),
      version: client(VersionServiceDefinition),
      time: client(TimeServiceDefinition),
      connection: { current: () => 0, awaited: () => Promise.resolve() },
      close: () => undefined,
    };
  }

  /**
   * Makes the ledger report a refused submission by a completion, at the time at which the submission would have been
   * decided.
   */
  rejectLater(side: Side, request: SubmitRequest, code: ErrorCode, clock: VirtualClock): void {
    const { commands } = request;
    if (commands === undefined) return;
    const { network } = this;
    const { store } = network;
    const { commandId, submissionId, userId, actAs, deduplicationPeriod } = commands;
    const submitter = {
      participant: side,
      userId,
      commandId,
      submissionId,
      actAs: [...actAs].sort(),
    };
    clock.set(() => {
      // The submission was in flight when the participant was restarted.
      if (network !== this.#network) return;
      const state = store.state.participants[side];
      const offset =
        deduplicationPeriod?.$case === 'deduplicationOffset' ? deduplicationPeriod.value : 0n;
      const now = BigInt(Date.now()) * 1000n;
      const { recordTime } = store.state;
      const completion = {
        offset: state.nextOffset(),
        submitter,
        updateId: '',
        traceContext: { traceparent: newTraceparent() },
        deduplicationOffset: offset,
        recordTime: now > recordTime ? now : recordTime + 1n,
        paidTrafficCost: 0n,
        rejection: {
          code,
          text: 'said by the weather',
          metadata: {},
          resources: [],
          definiteAnswer: false,
        },
      };
      store.commit({ kind: 'rejection', completion });
    }, this.#options.latencyMs);
  }

  #middleware(
    side: Side,
    refusal: { readonly before?: string; readonly after?: string },
  ): ServerMiddleware {
    const refuse = (code: string | undefined) => {
      if (code !== undefined) throw new LedgerError(code as ErrorCode, 'said by the weather');
    };
    return callMiddleware({
      participant: this.network.participants[side],
      verify: (header) => Promise.resolve(verify(header)),
      faults: {
        ...NO_FAULTS,
        onEnter: () => refuse(refusal.before),
        onLeave: () => refuse(refusal.after),
      },
      log: () => undefined,
      closing: NEVER,
      resetConnection: () => undefined,
      nowMs: () => Date.now(),
    });
  }
}

type Services = Readonly<Record<Side, ReadonlyMap<ServiceDefinition, Implementation>>>;

const allServicesOf = (network: LedgerNetwork, options: SimLedgerOptions): Services => ({
  'app-provider': servicesOf(network, 'app-provider', options),
  'app-user': servicesOf(network, 'app-user', options),
});

const NEVER = new AbortController().signal;

function verify(header: string | undefined) {
  const [userId = '', expiresAt = '0'] = (header ?? '').replace('Bearer ', '').split(' ');
  const expiresAtMs = Number(expiresAt);
  if (Date.now() >= expiresAtMs) throw new TokenRejected('expired', 'the token has expired');
  return { userId, expiresAtMs };
}

function usersOf(network: LedgerNetwork, more: number): readonly Party[] {
  const { parties, users } = network.participants['app-user'];
  const added = Array.from({ length: more }, (_, i) => parties.allocate(`user-${i + 2}`).party);
  users.grant(
    BACKEND_USERS['app-user'],
    added.map((party) => ({ kind: 'canActAs', party })),
  );
  return [network.parties.appUser, ...added].map(trusted<Party>);
}

function servicesOf(
  network: LedgerNetwork,
  side: LocalName,
  { checkpointIntervalMs }: SimLedgerOptions,
): ReadonlyMap<ServiceDefinition, Implementation> {
  const participant = network.participants[side];
  const encoder = new Encoder(participant);
  const settings: StreamSettings = {
    checkpointIntervalMs,
    participantIdOf: (name) => network.participants[name].participantId,
  };
  const isTimeStatic = false;
  const services: readonly (readonly [object, object])[] = [
    [
      CommandSubmissionServiceDefinition,
      commandSubmissionService(participant, new CommandProgress(participant, encoder)),
    ],
    [CommandCompletionServiceDefinition, commandCompletionService(participant, encoder, settings)],
    [UpdateServiceDefinition, updateService(participant, encoder, settings)],
    [StateServiceDefinition, stateService(participant, encoder, settings)],
    [UserManagementServiceDefinition, userManagementService(participant)],
    [VersionServiceDefinition, versionService({ checkpointIntervalMs, isTimeStatic })],
    [TimeServiceDefinition, timeService(network)],
  ];
  return new Map(services as readonly (readonly [ServiceDefinition, Implementation])[]);
}
