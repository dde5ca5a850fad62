import { signUserToken } from './auth/participant-trust.ts';
import type { AuthMode } from './auth/participant-trust.ts';
import type { OpenRealm } from './auth/signing-keys.ts';
import { togetherWith } from './faults.ts';
import type { FaultPlan } from './faults.ts';
import { createFaultPlan } from './faults/plan.ts';
import type { ScriptedFaults } from './faults/plan.ts';
import { listenOn } from './listener.ts';
import type { Log } from './log.ts';
import { createNetworkPort } from './http/network.ts';
import type { LedgerNetwork } from './ledger/ledger-network.ts';
import { pause } from './ledger/wakeup.ts';
import { FIXED_PORTS, FREE_PORTS, perParticipant, SINGLE_PORTS } from './ports.ts';
import type { ParticipantName, PortMap } from './ports.ts';
import { actsOn, Worlds } from './worlds.ts';
import type { LedgerNetworkOptions } from './ledger/ledger-network.ts';

/** Every option has a default: `startLocalnet({ ports: 'free' })` starts a complete network in memory. */
export interface LocalnetOptions extends Pick<
  LedgerNetworkOptions,
  | 'maxDeduplicationDurationMs'
  | 'maxCommandsInFlight'
  | 'commandDeadlineMs'
  | 'ledgerTimeToleranceMs'
  | 'timeProofMs'
  | 'trafficPrice'
  | 'trafficBalance'
  | 'extraPackages'
  | 'history'
> {
  /**
   * Folder of the journal, created if missing. A network that starts with the folder of an earlier one continues from
   * its state, even after `kill -9`. Without a folder, all data is lost when the process ends.
   */
  readonly dataDir?: string;
  /**
   * A folder of DARs that every ledger contains from its start, also after a reset: they are uploaded to all
   * participants before any port listens. @default none
   */
  readonly darFolder?: string;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * `'fixed'` stands for {@link FIXED_PORTS} or {@link SINGLE_PORTS}; with `'free'`, the operating system chooses the
   * ports.
   * @default 'fixed'
   */
  readonly ports?: 'fixed' | 'free' | PortMap;
  /**
   * Whether one participant hosts the provider, the user and the DSO, and accepts the tokens of both realms. This
   * participant can be addressed by all three names. The value must be the same whenever one data folder is used.
   * @default false
   */
  readonly isSingle?: boolean;
  /**
   * The first part of the issuer. The `iss` of tokens is always `${issuerBase}/realms/<Realm>`, even if the
   * authorization server listens on another port.
   * @default 'http://keycloak.localhost:8082'
   */
  readonly issuerBase?: string;
  /**
   * The kind of tokens that participants accept. `'shared-secret'` is for demonstrations: anyone can create such a
   * token.
   * @default 'oauth2'
   */
  readonly auth?: AuthMode;
  /**
   * If set, participants refuse tokens that never expire, or do not have this scope. The participants of the reference
   * LocalNet accept such tokens.
   */
  readonly strictScope?: string;
  /**
   * The hint from which party IDs are formed: `app_provider_<partyHint>::<namespace>` and similar. @default
   * 'quickstart-tenure-1'
   */
  readonly partyHint?: string;
  /** Time between sequencing and verdict. Contracts are locked during this time. @default 0 */
  readonly latencyMs?: number;
  /**
   * An ISO-8601 instant. The ledger's time stands still there until it is set. If absent, the ledger uses wall time.
   */
  readonly staticTime?: string;
  /** The longest time without an element after which an open-ended stream sends an offset checkpoint. @default 1000 */
  readonly checkpointIntervalMs?: number;
  /** The faults that are applied to calls. @default no faults */
  readonly faults?: FaultPlan;
  /**
   * Receives each line of the servers' logs as fields. The lines contain reasons that callers do not see. @default no
   * log
   */
  readonly log?: Log;
  /** Called if writing the journal fails. @default throws the error outside any request */
  readonly onFatal?: (error: unknown) => void;
}

/** The parties that every network has at its start. Their IDs have the form `hint::namespace`. */
interface LocalnetParties {
  readonly appProvider: string;
  readonly appUser: string;
  readonly dso: string;
}

/** Base URLs without a trailing slash; `ledger` is `host:port`, as for gRPC channels. */
interface LocalnetUrls {
  readonly participants: Readonly<
    Record<
      ParticipantName,
      {
        readonly ledger: string;
        readonly admin: string;
        readonly validator: string;
        readonly json: string;
        readonly health: string;
      }
    >
  >;
  /** The address of the authorization server. The issuer in its tokens is a different address. */
  readonly auth: string;
  /** `${auth}/realms/<Realm>/protocol/openid-connect/token` */
  readonly tokenEndpoints: { readonly AppProvider: string; readonly AppUser: string };
  readonly registry: string;
  readonly wallet: string;
  readonly network: string;
}

/** A running network. Disposing it stops it. */
export interface Localnet extends AsyncDisposable {
  readonly host: string;
  /** The ports in use, never `0`. */
  readonly ports: PortMap;
  readonly urls: LocalnetUrls;
  readonly parties: LocalnetParties;
  /** `${issuerBase}/realms/<Realm>` for both realms. */
  readonly issuers: { readonly AppProvider: string; readonly AppUser: string };
  readonly synchronizerId: string;
  /** The scope that every token must have, if participants are strict. */
  readonly strictScope: string | undefined;
  /** The ledger itself, in this process, for simulation and for tests. A reset replaces it. */
  readonly ledger: LedgerNetwork;
  /** The fault plan that `/control/faults` changes. */
  readonly faults: ScriptedFaults;
  /** Signs a token for a ledger user of a participant, valid for `lifeS` seconds. */
  signToken(participant: ParticipantName, userId: string, lifeS: number): Promise<string>;
  /**
   * Replaces the ledger, at the same addresses, and removes all faults. The new ledger is empty, or continues from a
   * {@link LedgerNetwork.history}. Throws if the history cannot be read; the current ledger then stays.
   */
  replaceLedger(history?: Uint8Array): Promise<void>;
  /** Stops listening, ends streams with UNAVAILABLE, and closes the journal. Safe to call more than once. */
  stop(): Promise<void>;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_CHECKPOINT_INTERVAL_MS = 1000;

/**
 * Starts the whole network: the ledger, the Ledger API of all participants, the authorization server and the HTTP
 * interfaces. Resolves when all ports listen. If a port is in use or the data folder cannot be used, stops everything
 * and rejects.
 */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const host = options.host ?? DEFAULT_HOST;
  const wanted = portsOf(options.ports ?? 'fixed', options.isSingle ?? false);
  const log = options.log ?? (() => undefined);
  await using starting = new AsyncDisposableStack();
  const scripted = createFaultPlan({
    random: Math.random,
    pause,
    acts: actsOn(() => worlds.current),
  });
  const faults = options.faults === undefined ? scripted : togetherWith(options.faults, scripted);
  const worlds = starting.use(
    await Worlds.open({
      ...options,
      host,
      ports: wanted,
      log,
      checkpointIntervalMs: options.checkpointIntervalMs ?? DEFAULT_CHECKPOINT_INTERVAL_MS,
      faults,
      conditions: scripted.conditions,
    }),
  );
  const replace = async (history?: Uint8Array) => {
    scripted.clear();
    return (await worlds.replace(history)).network;
  };
  const control = createNetworkPort({
    network: () => worlds.current?.page,
    ledger: () => worlds.require().network,
    faults: scripted,
    reset: () => replace(),
    log,
  });
  starting.adopt(control, (port) => port.close());
  const networkPort = await listenOn(control, host, wanted.network);
  const { network, realms, ports: worldPorts } = worlds.require();
  const ports: PortMap = { ...worldPorts, network: networkPort };
  starting.defer(() => scripted.close());
  // The parts are released in reverse order: first the calls that faults hold back, then the control routes, then the
  // network.
  const running = starting.move();
  const stop = () => running.disposeAsync();
  const [providerRealm, userRealm] = [issuerOf(realms, 'AppProvider'), issuerOf(realms, 'AppUser')];
  return {
    host,
    ports,
    urls: urlsOf(host, ports),
    parties: network.parties,
    issuers: { AppProvider: providerRealm, AppUser: userRealm },
    synchronizerId: network.synchronizerId,
    strictScope: options.strictScope,
    get ledger() {
      return worlds.require().network;
    },
    faults: scripted,
    signToken: (participant, userId, lifeS) =>
      signUserToken(participant, userId, {
        realms: worlds.require().realms,
        mode: options.auth ?? 'oauth2',
        strictScope: options.strictScope,
        lifeS,
      }),
    replaceLedger: async (history) => void (await replace(history)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function portsOf(ports: NonNullable<LocalnetOptions['ports']>, isSingle: boolean): PortMap {
  if (ports === 'fixed') return isSingle ? SINGLE_PORTS : FIXED_PORTS;
  return ports === 'free' ? FREE_PORTS : ports;
}

function issuerOf(realms: readonly OpenRealm[], name: OpenRealm['realm']['name']): string {
  const found = realms.find(({ realm }) => realm.name === name);
  if (found === undefined) throw new TypeError(`no realm ${name}`);
  return found.issuer;
}

function urlsOf(host: string, ports: PortMap): LocalnetUrls {
  const at = (port: number) => `http://${host}:${port}`;
  const of = ({ ledger, admin, validator, json, health }: PortMap['participants']['sv']) => ({
    ledger: `${host}:${ledger}`,
    admin: at(admin),
    validator: at(validator),
    json: at(json),
    health: at(health),
  });
  const auth = at(ports.auth);
  const tokenEndpoint = (realm: string) => `${auth}/realms/${realm}/protocol/openid-connect/token`;
  return {
    participants: perParticipant(false, (name) => of(ports.participants[name])),
    auth,
    tokenEndpoints: {
      AppProvider: tokenEndpoint('AppProvider'),
      AppUser: tokenEndpoint('AppUser'),
    },
    registry: at(ports.registry),
    wallet: at(ports.wallet),
    network: at(ports.network),
  };
}
