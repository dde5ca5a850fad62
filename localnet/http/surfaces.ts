import type { FastifyInstance } from 'fastify';
import { createAuthorizationServer } from '../auth/authorization-server.ts';
import type { AuthMode } from '../auth/participant-trust.ts';
import type { OpenRealm } from '../auth/signing-keys.ts';
import type { TokenVerifier } from '../auth/verify.ts';
import type { Surface } from '../faults/rules.ts';
import type { NetworkServices } from '../grpc/participant-services.ts';
import type { LedgerNetwork } from '../ledger/ledger-network.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import { perParticipant } from '../ports.ts';
import type { ParticipantName, ParticipantPorts, PortMap } from '../ports.ts';
import type { Arriving } from '../arrival.ts';
import { createJsonApi } from './json-api.ts';
import { listenOn } from '../listener.ts';
import type { Log } from '../log.ts';
import { createNetwork } from './network.ts';
import { createAdmin, createHealth } from './side-surfaces.ts';
import { createRegistry } from './token-registry.ts';
import { createValidator, createWalletSite } from './validator.ts';
import { Automation } from './wallet/automation.ts';

export interface HttpSurfacesOptions {
  readonly ledger: LedgerNetwork;
  readonly realms: readonly OpenRealm[];
  /** Opens the master realm, whose tokens administer the other realms. */
  readonly openMaster: () => Promise<OpenRealm>;
  /** The kind of tokens that participants accept. It decides how people sign in to the wallet. @default 'oauth2' */
  readonly auth?: AuthMode | undefined;
  /** The scope that every token must have, if participants are strict. */
  readonly strictScope?: string | undefined;
  readonly verifiers: Readonly<Record<ParticipantName, TokenVerifier>>;
  /** Returns the failure that faults cause for a request before it is answered, if any. */
  readonly arrivals?: (surface: Surface, participant?: ParticipantName) => Arriving;
  readonly services: NetworkServices;
  /** The address to listen on. */
  readonly host: string;
  /** `0` stands for a free port. The gRPC ports in the map are opened elsewhere. */
  readonly ports: PortMap;
  /** The server's log. @default no log */
  readonly log?: Log;
}

/** The HTTP ports of one participant. */
type HttpPorts = Omit<ParticipantPorts, 'ledger'>;

/** All HTTP listeners. Disposing this object stops every listener. */
export interface HttpSurfaces extends AsyncDisposable {
  /** The ports in use, never `0`. */
  readonly ports: Omit<PortMap, 'participants' | 'network'> & {
    readonly participants: Readonly<Record<ParticipantName, HttpPorts>>;
  };
  /** The app of the network port, which does not listen by itself. */
  readonly network: FastifyInstance;
  /** Ends the WebSockets of a participant's JSON API, as if its process died. */
  dropStreams(participant: ParticipantName): void;
  /** Stops listening and drops open connections. Safe to call twice. */
  stop(): Promise<void>;
}

/** A listener that is to be started: its key in the port map, and its app. */
interface Plan {
  readonly key: string;
  readonly app: FastifyInstance;
  readonly port: number;
}

const SILENT: Log = () => undefined;

/**
 * Starts all HTTP listeners of a network. If one of them cannot listen, the others are stopped and its error is thrown.
 */
export async function startHttpSurfaces(options: HttpSurfacesOptions): Promise<HttpSurfaces> {
  const log = options.log ?? SILENT;
  const portByKey = new Map<string, number>();
  const jsonApis = jsonApisOf(options, log);
  await using starting = new AsyncDisposableStack();
  const automations = automationsOf(options, starting, log);
  const plans = [
    ...options.ledger.participantNames.flatMap((name) =>
      participantPlans(
        options,
        name,
        { jsonApi: jsonApis[name], automation: automations[name] },
        log,
      ),
    ),
    ...sharedPlans(options, { jsonApis, automations }, () => portByKey.get('auth'), log),
  ];
  for (const { app } of plans) starting.adopt(app, (listener) => listener.close());
  // Waits until every listener has started or failed. If a listener were closed while it starts, it would stay open.
  const outcomes = await Promise.allSettled(
    plans.map(
      async ({ key, app, port }) => [key, await listenOn(app, options.host, port)] as const,
    ),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    portByKey.set(...outcome.value);
  }
  const { ledger, arrivals } = options;
  const arrival = () => arrivals?.('registry');
  const network = starting.adopt(
    createNetwork({ ledger, jsonApi: jsonApis.sv, log, arrival }),
    (app) => app.close(),
  );
  await network.ready();
  const running = starting.move();
  const stop = () => running.disposeAsync();
  const ports = realPorts(portByKey, isSingle(options));
  const dropStreams = (name: ParticipantName) => jsonApis[name].webSockets?.drop();
  return { ports, network, dropStreams, stop, [Symbol.asyncDispose]: stop };
}

type JsonApis = Readonly<Record<ParticipantName, FastifyInstance>>;

/**
 * Returns the JSON API of each participant. It listens on its own port, and is also served on its operator's other
 * ports to callers that use one of its host names.
 */
function jsonApisOf(options: HttpSurfacesOptions, log: Log): JsonApis {
  const { ledger, services, verifiers, arrivals } = options;
  const of = (name: ParticipantName) =>
    createJsonApi({
      participant: ledger.participants[name],
      services: () => services.of(ledger.participants[name].name),
      verify: verifiers[name],
      log,
      arrival: () => arrivals?.('json', name),
    });
  return perParticipant(ledger.participantNames.length === 1, of);
}

type Automations = Readonly<Record<ParticipantName, Automation>>;

/** Starts the automation of each validator, which runs until the stack is disposed. */
const automationsOf = (
  { ledger }: HttpSurfacesOptions,
  starting: AsyncDisposableStack,
  log: Log,
): Automations =>
  perParticipant(ledger.participantNames.length === 1, (name) =>
    starting.use(new Automation({ ledger, participant: ledger.participants[name], log })),
  );

function participantPlans(
  options: HttpSurfacesOptions,
  name: ParticipantName,
  { jsonApi, automation }: { readonly jsonApi: FastifyInstance; readonly automation: Automation },
  log: Log,
): Plan[] {
  const { ledger, verifiers, arrivals } = options;
  const arrival = () => arrivals?.('validator', name);
  const participant = ledger.participants[name];
  const verify = verifiers[name];
  const ports = options.ports.participants[name];
  const at = (surface: keyof HttpPorts, app: FastifyInstance): Plan => ({
    key: `${name}.${surface}`,
    app,
    port: ports[surface],
  });
  return [
    at('json', jsonApi),
    at('admin', createAdmin(participant, log)),
    at('validator', createValidator({ ledger, participant, verify, automation, log, arrival })),
    at('health', createHealth()),
  ];
}

function sharedPlans(
  options: HttpSurfacesOptions,
  { jsonApis, automations }: { readonly jsonApis: JsonApis; readonly automations: Automations },
  authPort: () => number | undefined,
  log: Log,
): Plan[] {
  const { ledger, realms, openMaster, auth, strictScope, verifiers, ports, arrivals } = options;
  const walletSite = createWalletSite({
    ledger,
    participant: ledger.participants['app-user'],
    verify: verifiers['app-user'],
    jsonApi: jsonApis['app-user'],
    automation: automations['app-user'],
    authority: () => authorityOf(realms, 'AppUser', authPort()),
    clientId: 'app-user-wallet',
    mode: auth ?? 'oauth2',
    strictScope,
    log,
    arrival: () => arrivals?.('validator', ledger.participants['app-user'].name),
  });
  const authorizationServer = createAuthorizationServer({
    realms,
    openMaster,
    partyIdOf: (userId) => primaryPartyOf(ledger.participants['app-user'], userId),
    log,
    arrival: () => arrivals?.('auth'),
  });
  return [
    { key: 'auth', app: authorizationServer, port: ports.auth },
    {
      key: 'registry',
      app: createRegistry({ ledger, log, arrival: () => arrivals?.('registry') }),
      port: ports.registry,
    },
    { key: 'wallet', app: walletSite, port: ports.wallet },
  ];
}

function primaryPartyOf({ users }: ParticipantApi, userId: string): string | undefined {
  const party = users.has(userId) ? users.get(userId).primaryParty : '';
  return party === '' ? undefined : party;
}

/** Host names and addresses by which a browser reaches this machine. */
const LOOPBACK_NAME = /^([\w-]+\.)*localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/i;

/**
 * Returns the URL of a realm for browsers: its issuer. If the issuer is on this machine, the URL has the port on which
 * the server actually listens.
 */
function authorityOf(
  realms: readonly OpenRealm[],
  name: OpenRealm['realm']['name'],
  port: number | undefined,
): string {
  const open = realms.find(({ realm }) => realm.name === name);
  if (open === undefined) throw new TypeError(`no realm ${name}`);
  const url = new URL(open.issuer);
  if (port !== undefined && LOOPBACK_NAME.test(url.hostname)) url.port = port.toString();
  return url.href;
}

const isSingle = ({ ledger }: HttpSurfacesOptions): boolean => ledger.participantNames.length === 1;

function realPorts(portByKey: ReadonlyMap<string, number>, single: boolean): HttpSurfaces['ports'] {
  const portOf = (key: string): number => {
    const port = portByKey.get(key);
    if (port === undefined) throw new Error(`nothing listens for ${key}`);
    return port;
  };
  const ofParticipant = (name: ParticipantName): HttpPorts => ({
    json: portOf(`${name}.json`),
    admin: portOf(`${name}.admin`),
    validator: portOf(`${name}.validator`),
    health: portOf(`${name}.health`),
  });
  return {
    participants: perParticipant(single, ofParticipant),
    auth: portOf('auth'),
    registry: portOf('registry'),
    wallet: portOf('wallet'),
  };
}
