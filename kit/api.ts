import type { ParticipantName, ParticipantPorts, PortMap } from '../localnet/ports.ts';
import type { FaultRequest, Faults } from './fault-types.ts';

/*
 * All types of the package. It is published with this file's declarations, so nothing but types is imported here, and
 * only from files that import nothing themselves.
 */

export type { ParticipantName, ParticipantPorts, PortMap } from '../localnet/ports.ts';
export type {
  Fault,
  FaultRequest,
  Faults,
  FaultScript,
  FaultStatus,
  Where,
} from './fault-types.ts';

/** All of a ledger at one moment, as bytes: for `restore`, for a file, and for other networks to begin with. */
export type Snapshot = Uint8Array;

/** Party IDs: of those that every network has, and by the names that others were asked for with. */
export type NamedParties<P extends string = string> = Readonly<
  Record<P | 'appProvider' | 'appUser' | 'dso', string>
>;

/** A user of one participant, and what it may do. Parties are named by their hint or by their whole ID. */
export interface UserOptions {
  /** Where the user is. @default 'app-provider' */
  readonly participant?: ParticipantName;
  readonly actAs?: readonly string[];
  readonly readAs?: readonly string[];
  /** Administers the participant. @default false */
  readonly isAdmin?: boolean;
  /** @default the first of `actAs` */
  readonly primaryParty?: string;
}

/** Ports that are to be what they are told to be; all others are free ones. */
export interface WantedPorts extends Partial<Omit<PortMap, 'participants'>> {
  readonly participants?: Readonly<Partial<Record<ParticipantName, Partial<ParticipantPorts>>>>;
}

/** Everything has a default: `startLocalnet()` is a complete network in memory, on free ports. */
export interface LocalnetOptions<P extends string = string> {
  /**
   * Parties to be, and the participant that hosts each: `{ alice: 'app-user', bank: 'app-provider' }`. Each of them
   * gets a user of the same name who may act as it, unless `users` has one of that name.
   */
  readonly parties?: Readonly<Record<P, ParticipantName>>;
  /** More users. */
  readonly users?: Readonly<Record<string, UserOptions>>;
  /** DARs that are uploaded to all participants: paths, URLs of files, or what is in them. */
  readonly dars?: readonly (string | URL | Uint8Array)[];
  /**
   * `'wall'`: ledger time is the time of day, until it is advanced, and passes. `'static'`, or a moment: it stands
   * still until it is set or advanced. @default 'wall'
   */
  readonly time?: 'wall' | 'static' | Date;
  /** A folder that the ledger is kept in, and continues from. @default memory */
  readonly dataFolder?: string;
  /** The initial state of the ledger: see {@link Localnet.snapshot}. */
  readonly snapshot?: Snapshot;
  /** In force from the start, and again after each `restore` and `reset`. */
  readonly faults?: readonly FaultRequest[];
  /** `'free'`: any that are free. `'fixed'`: those of the public quickstart. Or single ones. @default 'free' */
  readonly ports?: 'free' | 'fixed' | WantedPorts;
  /** One participant stands for all three. @default false */
  readonly isSingle?: boolean;
  /** The kind of tokens that participants accept; with `'shared-secret'` anyone can make one. @default 'oauth2' */
  readonly auth?: 'oauth2' | 'shared-secret';
  /** The `iss` of tokens is `<issuerBase>/realms/<realm>`. @default 'http://keycloak.localhost:8082' */
  readonly issuerBase?: string;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Time between sequencing and verdict. Contracts are locked during this time. @default 0 */
  readonly latencyMs?: number;
  /** End of the names of the built-in parties, `<organization>-<function>-<number>`. @default 'quickstart-tenure-1' */
  readonly partyHint?: string;
  /** Shortest time between two checkpoints of a stream. @default 1000 */
  readonly checkpointIntervalMs?: number;
  /** Deduplication of a command that asks for no period. @default 7 days */
  readonly maxDeduplicationDurationMs?: number;
  /** Commands that a participant waits for at a time. @default 256 */
  readonly maxCommandsInFlight?: number;
  /** How far ledger time and record time of a transaction may lie apart. @default 60 s */
  readonly ledgerTimeToleranceMs?: number;
  /** The traffic balance of each participant. @default no limit */
  readonly trafficBalance?: number;
  /** Takes the servers' log, as fields: the reasons that callers are not told. @default nowhere */
  readonly log?: (line: Readonly<Record<string, unknown>>) => void;
}

/** Addresses of one participant; `grpc` is `host:port`, the others are URLs without a slash at their end. */
export interface ParticipantAddresses {
  /** Ledger API. */
  readonly grpc: string;
  /** JSON Ledger API, below which the paths begin with `/v2`. */
  readonly json: string;
  /** Uploads of packages without a token. */
  readonly admin: string;
  /** Validator, below which the paths begin with `/api/validator`. */
  readonly validator: string;
  readonly health: string;
}

/** Addresses that the whole network shares: URLs without a slash at their end. */
export interface SharedAddresses {
  /** Authorization server, of which the realms are below `/realms`. */
  readonly auth: string;
  /** Token registry, and the scan below `/api/scan`. */
  readonly registry: string;
  /** The wallet page. */
  readonly wallet: string;
  /** The control routes, `/control/…`, for programs in other processes. */
  readonly network: string;
}

/** A time to go forward by; its parts add up. */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
}

export interface TokenOptions {
  /** Needed where users of several participants have the name. */
  readonly participant?: ParticipantName;
  /** In wall time, whatever the ledger's is. @default 3600 */
  readonly lifeSeconds?: number;
}

/** A network that runs in this process. Disposing it closes it. */
export interface Localnet<P extends string = string> extends AsyncDisposable {
  readonly participants: Readonly<Record<ParticipantName, ParticipantAddresses>>;
  readonly urls: SharedAddresses;
  readonly ports: PortMap;
  /** Party IDs by name: `appProvider`, `appUser`, `dso`, and those of the options. */
  readonly parties: NamedParties<P>;
  readonly synchronizerId: string;
  /** The network's faults: see docs/LOCALNET.md, "Faults". */
  readonly faults: Faults;

  /** An access token for a user, by its ledger user ID or its name. @throws TypeError when there is no such user */
  token(user: string, options?: TokenOptions): Promise<string>;
  /** One for the user `participant_admin`. @default 'app-provider' */
  adminToken(participant?: ParticipantName): Promise<string>;

  /** The ledger's time. */
  now(): Date;
  /** Goes forward by milliseconds or by a duration. Gives what time it is then. */
  advanceTime(by: number | Duration): Date;
  /** Goes forward to a moment. @throws RangeError when it is past. */
  setTime(to: Date): Date;

  /** All of the ledger as it is now. */
  snapshot(): Promise<Snapshot>;
  /**
   * Restores the ledger's state. Streams end with UNAVAILABLE, and connections are closed; addresses, parties and
   * tokens stay. Faults are those of the options. A snapshot can be restored any number of times.
   *
   * @throws when the bytes are no snapshot of a network like this one; then the ledger is unchanged
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** Begins another ledger, as `startLocalnet` would. Old tokens are worth nothing there. */
  reset(): Promise<void>;

  /** Stops everything; resolves when nothing of it is left. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts a Canton network in this process: three participants with Ledger API (gRPC) and JSON Ledger API, an
 * authorization server, validators with wallets, token registry and scan. Resolves when all of it answers, and rejects,
 * with nothing left behind, when something of it cannot be.
 */
export type StartLocalnet = <P extends string = never>(
  options?: LocalnetOptions<P>,
) => Promise<Localnet<P>>;
