import type { FastifyInstance } from 'fastify';
import { createAuthorizationServer } from '../auth/authorization-server.ts';
import type { OpenRealm } from '../auth/signing-keys.ts';
import type { TokenVerifier } from '../auth/verify.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Json } from '../ledger/lf-json.ts';
import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName, ParticipantPorts, PortMap } from '../ports.ts';
import { createJsonApi } from './json-api.ts';
import { listenOn } from './listener.ts';
import type { Log } from './listener.ts';
import { createNetwork } from './network.ts';
import { createAdmin, createHealth, createRegistry, createValidator } from './side-surfaces.ts';

export interface HttpSurfacesOptions {
  readonly ledger: Ledger;
  readonly realms: readonly OpenRealm[];
  readonly verifiers: Readonly<Record<ParticipantName, TokenVerifier>>;
  /** What `GET /v2/version` answers at every participant: the same facts as their gRPC version service gives. */
  readonly version: Json;
  /** Address to listen on. */
  readonly host: string;
  /** `0` asks for a free port. The gRPC ports in it are not ours. */
  readonly ports: PortMap;
  /** The server's log. @default nowhere */
  readonly log?: Log;
}

/** The ports of one participant that speak HTTP. */
type HttpPorts = Omit<ParticipantPorts, 'ledger'>;

/** Everything that listens for HTTP. Disposing it stops it. */
export interface HttpSurfaces extends AsyncDisposable {
  /** Real ports, never `0`. */
  readonly ports: Omit<PortMap, 'participants'> & {
    readonly participants: Readonly<Record<ParticipantName, HttpPorts>>;
  };
  /** Stops listening and drops open connections. Safe to call twice. */
  stop(): Promise<void>;
}

/** One listener to be: where it will be found in the port map, and what it serves. */
interface Plan {
  readonly key: string;
  readonly app: FastifyInstance;
  readonly port: number;
}

const SILENT: Log = () => undefined;

/**
 * Starts all HTTP surfaces of a network. If one of them cannot listen, those that could are stopped and the error of
 * the one that could not is thrown.
 */
export async function startHttpSurfaces(options: HttpSurfacesOptions): Promise<HttpSurfaces> {
  const log = options.log ?? SILENT;
  const plans = [
    ...PARTICIPANT_NAMES.flatMap((name) => participantPlans(options, name, log)),
    ...sharedPlans(options, log),
  ];
  await using starting = new AsyncDisposableStack();
  for (const { app } of plans) starting.adopt(app, (listener) => listener.close());
  // All of them settle before any is closed again: closing one that is still about to listen would leak it.
  const outcomes = await Promise.allSettled(
    plans.map(
      async ({ key, app, port }) => [key, await listenOn(app, options.host, port)] as const,
    ),
  );
  const portByKey = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    portByKey.set(...outcome.value);
  }
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return { ports: realPorts(portByKey), stop, [Symbol.asyncDispose]: stop };
}

function participantPlans(options: HttpSurfacesOptions, name: ParticipantName, log: Log): Plan[] {
  const { ledger, verifiers, version } = options;
  const participant = ledger.participants[name];
  const verify = verifiers[name];
  const ports = options.ports.participants[name];
  const at = (surface: keyof HttpPorts, app: FastifyInstance): Plan => ({
    key: `${name}.${surface}`,
    app,
    port: ports[surface],
  });
  return [
    at('json', createJsonApi({ participant, verify, version, log })),
    at('admin', createAdmin(participant, log)),
    at('validator', createValidator({ participant, verify, dsoParty: ledger.parties.dso, log })),
    at('health', createHealth()),
  ];
}

function sharedPlans(options: HttpSurfacesOptions, log: Log): Plan[] {
  const { ledger, realms, verifiers, ports } = options;
  const dsoParty = ledger.parties.dso;
  const walletOwner = {
    participant: ledger.participants['app-user'],
    verify: verifiers['app-user'],
  };
  const authorizationServer = createAuthorizationServer({
    realms,
    partyIdOf: () => ledger.parties.appUser,
    log,
  });
  return [
    { key: 'auth', app: authorizationServer, port: ports.auth },
    { key: 'registry', app: createRegistry(dsoParty), port: ports.registry },
    { key: 'wallet', app: createValidator({ ...walletOwner, dsoParty, log }), port: ports.wallet },
    { key: 'network', app: createNetwork(ledger, log), port: ports.network },
  ];
}

function realPorts(portByKey: ReadonlyMap<string, number>): HttpSurfaces['ports'] {
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
    participants: {
      'app-user': ofParticipant('app-user'),
      'app-provider': ofParticipant('app-provider'),
      sv: ofParticipant('sv'),
    },
    auth: portOf('auth'),
    registry: portOf('registry'),
    wallet: portOf('wallet'),
    network: portOf('network'),
  };
}
