import type { FastifyInstance } from 'fastify';
import { withIdentityProviders } from './auth/identity-provider-trust.ts';
import { participantVerifiers } from './auth/participant-trust.ts';
import type { AuthMode } from './auth/participant-trust.ts';
import { masterRealm, openRealms } from './auth/signing-keys.ts';
import type { OpenRealm, RealmStore } from './auth/signing-keys.ts';
import { TokenRejected } from './auth/verify.ts';
import type { TokenVerifier } from './auth/verify.ts';
import type { FaultPlan } from './faults.ts';
import { uploadFolder } from './dar-folder.ts';
import type { Behind, Conditions } from './faults/conditions.ts';
import { NetworkServices } from './grpc/participant-services.ts';
import { startGrpcServer } from './grpc/server.ts';
import type { GrpcServer } from './grpc/server.ts';
import type { Log } from './log.ts';
import { startHttpSurfaces } from './http/surfaces.ts';
import type { HttpSurfaces } from './http/surfaces.ts';
import { LedgerNetwork } from './ledger/ledger-network.ts';
import type { LedgerNetworkOptions } from './ledger/ledger-network.ts';
import { addNamedUsers } from './ledger/named-users.ts';
import type { RefuseSubmission } from './ledger/participant-node.ts';
import { pause } from './ledger/wakeup.ts';
import { perParticipant } from './ports.ts';
import type { ParticipantName, PortMap } from './ports.ts';
import { reopenOn } from './same-port.ts';

export interface WorldOptions extends Omit<
  LedgerNetworkOptions,
  'refuse' | 'conditions' | 'trace'
> {
  readonly host: string;
  /** `0` stands for a free port. The network port is not opened here. */
  readonly ports: PortMap;
  /** DARs in this folder are uploaded before any port listens. */
  readonly darFolder?: string;
  readonly issuerBase?: string;
  readonly auth?: AuthMode;
  readonly strictScope?: string;
  readonly checkpointIntervalMs: number;
  readonly log: Log;
  readonly faults: FaultPlan;
  readonly conditions: Conditions;
}

/** One ledger and all its listeners. Disposing the world stops everything. */
export interface World extends AsyncDisposable {
  readonly network: LedgerNetwork;
  readonly realms: readonly OpenRealm[];
  /** The ports in use, without the network port, on which `localnet.ts` listens. */
  readonly ports: Omit<PortMap, 'network'>;
  readonly page: FastifyInstance;
  /**
   * Drops a participant's connections, closes its port, and opens it again after `downMs`. Returns false if the
   * participant is already down. If another process uses the port at that time, the whole process fails.
   */
  restart(participant: ParticipantName, downMs: number): boolean;
  /** Puts participants into the state that the conditions require: behind, stopped or down. */
  settle(): void;
}

/** Opens the ledger of the data folder, or a new one, and starts its listeners. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { log, faults, conditions, auth: mode = 'oauth2', isSingle = false, strictScope } = options;
  await using starting = new AsyncDisposableStack();
  const network = starting.adopt(
    await LedgerNetwork.open({
      ...options,
      refuse: refusalsOf(faults),
      conditions,
      trace: (message, places) =>
        log({ surface: 'contracts', level: 'debug', message, ...(places && { places }) }),
    }),
    (ledger) => ledger.close(),
  );
  if (options.darFolder !== undefined) await uploadFolder(network, options.darFolder, log);
  const store = realmStoreOf(network);
  const realms = await openRealms(store, options.issuerBase, strictScope);
  const openMaster = masterRealm(store, options.issuerBase);
  if (mode === 'shared-secret') {
    addNamedUsers(network);
    log({ surface: 'auth', level: 'warn', reason: 'tokens with a public secret are taken' });
  }
  const trusted = participantVerifiers(realms, participantIds(network), {
    mode,
    isSingle,
    strictScope,
  });
  const verifiers = perParticipant(isSingle, (name) =>
    expiring(
      withIdentityProviders(
        trusted[name],
        network.participants[name].identityProviders,
        strictScope,
      ),
      name,
      conditions,
    ),
  );
  const services = new NetworkServices(network, options.checkpointIntervalMs);
  const surfaces = starting.use(
    await openSurfaces(options, { network, services, realms, openMaster, verifiers }),
  );
  const servers = starting.use(
    new LedgerServers(options, network, { services, verifiers, surfaces }),
  );
  const ledgerPorts = await servers.start();
  const ports = {
    ...surfaces.ports,
    participants: perParticipant(isSingle, (name) => ({
      ...surfaces.ports.participants[name],
      ledger: ledgerPorts.get(name) ?? 0,
    })),
  };
  const condition = new ParticipantCondition(network, { servers, surfaces }, conditions);
  condition.settle();
  // The parts are released in reverse order: the listeners are closed before the ledger.
  const running = starting.move();
  return {
    network,
    realms,
    ports,
    page: surfaces.network,
    restart: (participant, downMs) => servers.restart(participant, downMs),
    settle: () => condition.settle(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Parts {
  readonly network: LedgerNetwork;
  readonly services: NetworkServices;
  readonly realms: readonly OpenRealm[];
  readonly openMaster: () => Promise<OpenRealm>;
  readonly verifiers: Readonly<Record<ParticipantName, TokenVerifier>>;
}

const openSurfaces = (
  { host, ports, log, conditions, auth, strictScope }: WorldOptions,
  { network, services, realms, openMaster, verifiers }: Parts,
): Promise<HttpSurfaces> =>
  startHttpSurfaces({
    ledger: network,
    realms,
    openMaster,
    verifiers,
    auth,
    strictScope,
    arrivals: async (surface, participant) => {
      if (participant !== undefined) await network.participants[participant].untilReading();
      return conditions.httpFate(surface, participant);
    },
    services,
    host,
    ports,
    log,
  });

/** The Ledger API of each participant. Each of them can be restarted separately. */
class LedgerServers implements AsyncDisposable {
  readonly #options: WorldOptions;
  readonly #network: LedgerNetwork;
  readonly #services: NetworkServices;
  readonly #verifiers: Parts['verifiers'];
  readonly #surfaces: HttpSurfaces;
  readonly #servers = new Map<ParticipantName, GrpcServer>();
  readonly #restarts = new Map<ParticipantName, Promise<void>>();
  /** Participants that stay down until `letUp` is called. */
  readonly #kept = new Map<ParticipantName, PromiseWithResolvers<void>>();
  readonly #closed = new AbortController();

  constructor(
    options: WorldOptions,
    network: LedgerNetwork,
    {
      services,
      verifiers,
      surfaces,
    }: Pick<Parts, 'services' | 'verifiers'> & { readonly surfaces: HttpSurfaces },
  ) {
    this.#options = options;
    this.#network = network;
    this.#services = services;
    this.#verifiers = verifiers;
    this.#surfaces = surfaces;
  }

  async start(): Promise<ReadonlyMap<ParticipantName, number>> {
    const ports = new Map<ParticipantName, number>();
    for (const name of this.#network.participantNames) {
      const server = await this.#listen(name, this.#options.ports.participants[name].ledger);
      this.#servers.set(name, server);
      ports.set(name, server.port);
    }
    return ports;
  }

  restart(name: ParticipantName, downMs: number): boolean {
    const server = this.#servers.get(name);
    if (server === undefined || this.#restarts.has(name)) return false;
    this.#options.conditions.setDown(name, true);
    server.drop();
    this.#surfaces.dropStreams(name);
    const back = this.#comeBack(name, server, downMs).finally(() => {
      this.#options.conditions.setDown(name, false);
      this.#restarts.delete(name);
    });
    this.#restarts.set(name, back);
    return true;
  }

  /** Keeps a participant down until `letUp` is called. */
  keepDown(name: ParticipantName): void {
    if (this.#kept.has(name)) return;
    this.#kept.set(name, Promise.withResolvers());
    this.restart(name, 0);
  }

  letUp(name: ParticipantName): void {
    this.#kept.get(name)?.resolve();
    this.#kept.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    for (const kept of this.#kept.values()) kept.resolve();
    this.#kept.clear();
    await Promise.all(this.#restarts.values());
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
  }

  async #comeBack(name: ParticipantName, server: GrpcServer, downMs: number): Promise<void> {
    await server.stop();
    await pause(downMs, this.#closed.signal);
    for (let kept = this.#kept.get(name); kept !== undefined; kept = this.#kept.get(name)) {
      await kept.promise;
    }
    const { signal } = this.#closed;
    if (signal.aborted) return;
    try {
      this.#servers.set(name, await reopenOn(() => this.#listen(name, server.port), signal));
    } catch (error) {
      if (!signal.aborted) this.#options.onFatal?.(error);
    }
  }

  #listen(participant: ParticipantName, port: number): Promise<GrpcServer> {
    const { faults, log, host } = this.#options;
    const verify = this.#verifiers[participant];
    const network = this.#network;
    return startGrpcServer({
      network,
      participant,
      services: this.#services.renew(participant),
      verify,
      faults,
      log,
      host,
      port,
    });
  }
}

/** Applies the conditions that faults set to participants. */
class ParticipantCondition {
  readonly #network: LedgerNetwork;
  readonly #servers: LedgerServers;
  readonly #surfaces: HttpSurfaces;
  readonly #conditions: Conditions;
  /**
   * The condition that was last applied to each participant. Only changes of a condition are applied, so that a state
   * that was set in another way remains.
   */
  readonly #behind = new Map<ParticipantName, Behind>();

  constructor(
    network: LedgerNetwork,
    { servers, surfaces }: { readonly servers: LedgerServers; readonly surfaces: HttpSurfaces },
    conditions: Conditions,
  ) {
    this.#network = network;
    this.#servers = servers;
    this.#surfaces = surfaces;
    this.#conditions = conditions;
  }

  settle(): void {
    for (const name of this.#network.participantNames) this.#settle(name);
  }

  #settle(name: ParticipantName): void {
    const conditions = this.#conditions;
    const behind = conditions.behind(name);
    if (behind !== (this.#behind.get(name) ?? 'no')) {
      this.#behind.set(name, behind);
      if (behind === 'no') this.#network.release(name);
      else this.#network.hold(name, { sends: behind === 'sending' });
    }
    if (conditions.isStopped(name)) this.#network.stopReading(name);
    else this.#network.resumeReading(name);
    if (conditions.isKeptDown(name)) this.#servers.keepDown(name);
    else this.#servers.letUp(name);
    if (conditions.isAway('json', name)) this.#surfaces.dropStreams(name);
  }
}

/** Returns a function that applies a plan's refusals to every submission, no matter through which interface it came. */
const refusalsOf =
  (faults: FaultPlan): RefuseSubmission =>
  ({ submitter, ...more }) =>
    faults.isQuiet === true
      ? undefined
      : faults.onSubmission?.({ ...submitter, parties: submitter.actAs, ...more });

/** Returns a verifier that refuses a token if a fault makes it expire. The refusal is that of an expired token. */
const expiring =
  (verify: TokenVerifier, participant: ParticipantName, conditions: Conditions): TokenVerifier =>
  async (header) => {
    const token = await verify(header);
    if (!conditions.isExpired(participant, token)) return token;
    throw new TokenRejected('expired', 'as a fault says');
  };

/** Stores keys and added users in the journal, so that tokens and users remain valid after a restart. */
const realmStoreOf = (network: LedgerNetwork): RealmStore => ({
  keys: {
    get: (realmName) => network.kept(`signing-key/${realmName}`),
    put: (realmName, value) => network.keep(`signing-key/${realmName}`, value),
  },
  users: {
    all: (realmName) => network.keptUnder(`realm-user/${realmName}/`),
    put: (realmName, id, value) => network.keep(`realm-user/${realmName}/${id}`, value),
  },
});

const participantIds = ({ participants }: LedgerNetwork) =>
  perParticipant(false, (name) => participants[name].participantId);
