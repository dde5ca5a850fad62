import type { Ledger } from './ledger/ledger.ts';
import type { PackageDefinition } from './ledger/package-definition.ts';
import type { FaultPlan } from './faults.ts';
import type { ParticipantName, PortMap } from './ports.ts';

/** Everything has a default: `startLocalnet({ ports: 'free' })` is a complete network in memory. */
export interface LocalnetOptions {
  /**
   * Folder of the journal, created when missing. A network that starts with the folder of an earlier one continues
   * where that one was, also after `kill -9`. Without it nothing outlives the process.
   */
  readonly dataDir?: string;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** `'fixed'` is {@link FIXED_PORTS}, `'free'` lets the operating system choose. @default 'fixed' */
  readonly ports?: 'fixed' | 'free' | PortMap;
  /**
   * The `iss` of tokens is always `${issuerBase}/realms/<Realm>`, whatever port the authorization server really has.
   * @default 'http://keycloak.localhost:8082'
   */
  readonly issuerBase?: string;
  /** Gives `app_provider_<partyHint>::<namespace>` and its siblings. @default 'quickstart-tenure-1' */
  readonly partyHint?: string;
  /** Time between sequencing and verdict; contracts are locked meanwhile. @default 0 */
  readonly latencyMs?: number;
  /** ISO-8601 instant: the ledger's time stands still there until it is set. Absent: wall time. */
  readonly staticTime?: string;
  /** @default 7 days */
  readonly maxDeduplicationDurationMs?: number;
  /** Longest silence of a tailing stream before an offset checkpoint. @default 1000 */
  readonly checkpointIntervalMs?: number;
  /** Commands that one participant's CommandService waits for at a time. @default 256 */
  readonly maxCommandsInFlight?: number;
  /** Deadline of CommandService calls whose caller sent none. @default 300_000 */
  readonly commandDeadlineMs?: number;
  /** Packages beside the built-in ones: how tests bring templates of their own. */
  readonly extraPackages?: readonly PackageDefinition[];
  /** Where calls enter and leave, what goes wrong. @default nothing */
  readonly faults?: FaultPlan;
}

/** The parties that every network starts with; ids are `hint::namespace`. */
export interface LocalnetParties {
  readonly appProvider: string;
  readonly appUser: string;
  readonly dso: string;
}

/** Base URLs without a trailing slash; `ledger` is `host:port`, as gRPC channels want it. */
export interface LocalnetUrls {
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
  /** Where the authorization server listens; not the issuer in its tokens. */
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
  /** Real ports, never `0`. */
  readonly ports: PortMap;
  readonly urls: LocalnetUrls;
  readonly parties: LocalnetParties;
  /** `${issuerBase}/realms/<Realm>` of the two realms. */
  readonly issuers: { readonly AppProvider: string; readonly AppUser: string };
  readonly synchronizerId: string;
  /** The ledger itself, in process: for the control route, for simulation and for tests. */
  readonly ledger: Ledger;
  /** Stops listening, ends streams with UNAVAILABLE, closes the journal. Safe to call twice. */
  stop(): Promise<void>;
}
