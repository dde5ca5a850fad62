import type { ParticipantName, ParticipantPorts, PortMap } from '../localnet/ports.ts';
import type { FaultRequest, Faults } from './fault-types.ts';

/*
 * All public types of the package. This file is published with its declarations, so it imports only types, and only
 * from files that import nothing themselves.
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

/**
 * The state of a ledger at one moment, as bytes. It can be passed to `restore`, written to a file, or used as the
 * initial state of other networks.
 */
export type Snapshot = Uint8Array;

/**
 * Party IDs by name: those of the parties that every network has, and those of the parties that the options request.
 */
export type NamedParties<P extends string = string> = Readonly<
  Record<P | 'appProvider' | 'appUser' | 'dso', string>
>;

/** A user of one participant, with the user's rights. Parties are given by hint or by full ID. */
export interface UserOptions {
  /** The participant of the user. @default 'app-provider' */
  readonly participant?: ParticipantName;
  readonly actAs?: readonly string[];
  readonly readAs?: readonly string[];
  /** Whether the user administers the participant. @default false */
  readonly isAdmin?: boolean;
  /** @default the first of `actAs` */
  readonly primaryParty?: string;
}

/** Fixed ports. Ports that are not listed are free ones. */
export interface WantedPorts extends Partial<Omit<PortMap, 'participants'>> {
  readonly participants?: Readonly<Partial<Record<ParticipantName, Partial<ParticipantPorts>>>>;
}

/** Every option has a default: `startLocalnet()` starts a complete network in memory, on free ports. */
export interface LocalnetOptions<P extends string = string> {
  /**
   * Parties to create, with the participant that hosts each: `{ alice: 'app-user', bank: 'app-provider' }`. Each
   * party gets a user of the same name with the right to act as the party, unless `users` has a user of that name.
   */
  readonly parties?: Readonly<Record<P, ParticipantName>>;
  /** Additional users. */
  readonly users?: Readonly<Record<string, UserOptions>>;
  /** DARs to upload to all participants: paths, URLs of files, or the bytes. */
  readonly dars?: readonly (string | URL | Uint8Array)[];
  /**
   * `'wall'`: ledger time is the time of day until it is advanced, and continues from there. `'static'`, or a date:
   * ledger time stands still until it is set or advanced. @default 'wall'
   */
  readonly time?: 'wall' | 'static' | Date;
  /**
   * A folder in which the ledger is stored. A later network continues from it. @default the ledger is kept in memory
   */
  readonly dataFolder?: string;
  /** The initial state of the ledger: see {@link Localnet.snapshot}. */
  readonly snapshot?: Snapshot;
  /** Faults that are active from the start, and again after each `restore` and `reset`. */
  readonly faults?: readonly FaultRequest[];
  /** `'free'`: free ports. `'fixed'`: the ports of the public quickstart. Or individual ports. @default 'free' */
  readonly ports?: 'free' | 'fixed' | WantedPorts;
  /** Whether one participant stands for all three. @default false */
  readonly isSingle?: boolean;
  /** The kind of tokens that participants accept. With `'shared-secret'`, anyone can create one. @default 'oauth2' */
  readonly auth?: 'oauth2' | 'shared-secret';
  /** The `iss` of tokens is `<issuerBase>/realms/<realm>`. @default 'http://keycloak.localhost:8082' */
  readonly issuerBase?: string;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Time between sequencing and verdict. Contracts are locked during this time. @default 0 */
  readonly latencyMs?: number;
  /**
   * The last part of the built-in parties' names, in the form `<organization>-<function>-<number>`. @default
   * 'quickstart-tenure-1'
   */
  readonly partyHint?: string;
  /** Shortest time between two checkpoints of a stream. @default 1000 */
  readonly checkpointIntervalMs?: number;
  /** Deduplication period of a command without a period of its own. @default 7 days */
  readonly maxDeduplicationDurationMs?: number;
  /** The maximum number of commands in flight on a participant. @default 256 */
  readonly maxCommandsInFlight?: number;
  /** The maximum difference between a transaction's ledger time and record time. @default 60 s */
  readonly ledgerTimeToleranceMs?: number;
  /** The traffic balance of each participant. @default no limit */
  readonly trafficBalance?: number;
  /** Receives lines of the servers' logs as fields, including reasons that callers do not see. @default no log */
  readonly log?: (line: Readonly<Record<string, unknown>>) => void;
}

/** Addresses of one participant; `grpc` is `host:port`, the others are URLs without a slash at their end. */
export interface ParticipantAddresses {
  /** Ledger API. */
  readonly grpc: string;
  /** JSON Ledger API; its paths begin with `/v2`. */
  readonly json: string;
  /** Package uploads without a token. */
  readonly admin: string;
  /** Validator; its paths begin with `/api/validator`. */
  readonly validator: string;
  readonly health: string;
}

/** Addresses that the whole network shares: URLs without a slash at their end. */
export interface SharedAddresses {
  /** Authorization server; its realms are under `/realms`. */
  readonly auth: string;
  /** Token registry; the scan is under `/api/scan`. */
  readonly registry: string;
  /** The wallet page. */
  readonly wallet: string;
  /** The control routes, `/control/…`, for programs in other processes. */
  readonly network: string;
}

/** A duration. Its parts add up. */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
}

export interface TokenOptions {
  /** Required if several participants have a user with this name. */
  readonly participant?: ParticipantName;
  /** In wall time, even if the ledger's time is static. @default 3600 */
  readonly lifeSeconds?: number;
}

/** A network that runs in this process. Disposing it closes it. */
export interface Localnet<P extends string = string> extends AsyncDisposable {
  readonly participants: Readonly<Record<ParticipantName, ParticipantAddresses>>;
  readonly urls: SharedAddresses;
  readonly ports: PortMap;
  /** Party IDs by name: `appProvider`, `appUser`, `dso`, and those from the options. */
  readonly parties: NamedParties<P>;
  readonly synchronizerId: string;
  /** The network's faults: see docs/LOCALNET.md, "Faults". */
  readonly faults: Faults;

  /**
   * Returns an access token for a user, given by its ledger user ID or its name. @throws TypeError if there is no such
   * user
   */
  token(user: string, options?: TokenOptions): Promise<string>;
  /** Returns an access token for the user `participant_admin` of a participant. @default 'app-provider' */
  adminToken(participant?: ParticipantName): Promise<string>;

  /** Returns the ledger's time. */
  now(): Date;
  /** Moves ledger time forward by milliseconds or by a duration. Returns the new time. */
  advanceTime(by: number | Duration): Date;
  /** Moves ledger time forward to a moment. @throws RangeError if the moment has passed */
  setTime(to: Date): Date;

  /** Takes a snapshot of the whole ledger. */
  snapshot(): Promise<Snapshot>;
  /**
   * Restores the ledger's state. Streams end with UNAVAILABLE, and connections are closed; addresses, parties and
   * tokens remain valid. The faults are those of the options. A snapshot can be restored any number of times.
   *
   * @throws TypeError if the bytes are not a snapshot of a network with the same properties; the ledger is then
   *   unchanged
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** Replaces the ledger by a new one, as `startLocalnet` would start it. The new ledger refuses old tokens. */
  reset(): Promise<void>;

  /** Stops everything. Resolves when everything has stopped. May be called repeatedly. */
  close(): Promise<void>;
}

/**
 * Starts a Canton network in this process: three participants with Ledger API (gRPC) and JSON Ledger API, an
 * authorization server, validators with wallets, token registry and scan. Resolves when all of them answer. If one
 * cannot start, stops the others and rejects.
 */
export type StartLocalnet = <P extends string = never>(
  options?: LocalnetOptions<P>,
) => Promise<Localnet<P>>;
