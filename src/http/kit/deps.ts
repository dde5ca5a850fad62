import type { BulkActs } from '../../app/desk/bulk-acts.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Desk } from '../../app/desk/desk.ts';
import type { Alarms } from '../../app/ports/alarms.ts';
import type { ClockWatch } from '../../app/ports/clocks.ts';
import type { Io } from '../../app/ports/io.ts';
import type { LedgerGateway, PartyDirectory } from '../../app/ports/ledger.ts';
import type { Customers } from '../../app/ports/customers.ts';
import type { LicenseRecords } from '../../app/ports/license-records.ts';
import type { Plans } from '../../app/ports/plans.ts';
import type { Pauses } from '../../app/ports/pauses.ts';
import type { Hear } from '../../app/engine/proof.ts';
import type { Policies, PolicyDelays, Timers } from '../../app/ports/policies.ts';
import type { Previews } from '../../app/ports/previews.ts';
import type { RefusalLog } from '../../app/ports/refusals.ts';
import type { RegisterTenantDeps } from '../../app/callers/register-tenant.ts';
import type { RequestChangeDeps } from '../../app/engine/change-request.ts';
import type { Door } from '../../app/engine/request-change.ts';
import type { Validation } from '../../app/ports/validation.ts';
import type { Webhooks } from '../../app/ports/webhooks.ts';
import type { Sessions, SignIn } from '../../app/callers/sign-in.ts';
import type { Tracer } from '../../app/ports/tracing.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { Admission } from './admission.ts';
import type { EventFeed } from './event-feed.ts';
import type { Outcomes } from './outcome-waiters.ts';
import type { LimitShare, RateLimits } from './rate-limits.ts';

/** One thing that must work before this process can take requests. */
export interface ReadinessCheck {
  readonly name: string;
  /** Rejects with the reason why not, in words for an operator. */
  check(io: Io): Promise<void>;
}

/** What is measured of requests, and how all that is measured is read. */
export interface HttpMetrics {
  answered(request: {
    readonly method: string;
    /** With parameters in the place of ids, or `unmatched`. */
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** Everything that this process measures, as Prometheus reads it. Never rejects for what could not be read. */
  exposition(): Promise<{ readonly type: string; readonly text: string }>;
}

/** The raw queue as pages, scripts and figures, for those who look. */
interface QueueBoard {
  /**
   * @param url below the board, with its query
   * @throws while the queue cannot be reached
   */
  get(url: string): Promise<{
    readonly status: number;
    readonly type: string;
    readonly body: Buffer;
  }>;
  close(): Promise<void>;
}

/** What is kept beside the ledger for those who sell licences. */
export interface ProductDeps {
  readonly customers: Customers;
  readonly plans: Plans;
  readonly licenseRecords: LicenseRecords;
}

/** All that the server needs of the world. */
export interface HttpDeps extends RequestChangeDeps, RegisterTenantDeps, ProductDeps {
  /** Records what callers ask for. */
  readonly door: Door;
  /** Turns the `Authorization` header of a program into a caller; throws ProblemError. */
  readonly authenticate: (authorization: string | undefined) => Promise<Caller>;
  /** How people sign in, and what they have then. */
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly outcomes: Outcomes;
  readonly webhooks: Webhooks;
  /** Whether licences are valid, their keys, machines and files. */
  readonly validation: Validation;
  /**
   * Why nothing may be sent to the target of a webhook, or `null`; throws ProblemError when its party asks too much.
   */
  readonly targetDefect: (url: URL, party: Party) => Promise<string | null>;
  /** What happens, for those who follow it. */
  readonly events: EventFeed;
  /** What has waited too long. */
  readonly alarms: Pick<Alarms, 'list'>;
  /** What operators have stopped, and who is left alone because it is busy. */
  readonly pauses: Pauses;
  readonly policies: Policies & PolicyDelays;
  /** How long a confirmed policy waits before it acts. */
  readonly policyDelayMs: number;
  /** Previews of acts that cannot be taken back. */
  readonly previews: Previews;
  readonly timers: Pick<Timers, 'page'>;
  /** What operators look for. */
  readonly desk: Desk;
  /** Days of statistics are those of this time zone. @default UTC */
  readonly timeZone?: string;
  /** How far the ledger is, beside how far it has been followed. */
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd' | 'synchronizers'>;
  /** Which tenants' parties are on the ledger. */
  readonly partyDirectory: PartyDirectory;
  /** Before a person does something to an operation of which something may be on its way. */
  readonly hear: Hear;
  /** What operators do to many operations at once. */
  readonly bulkActs: BulkActs;
  readonly queueBoard: QueueBoard;
  /** The folder that the web application is built into, whether it has been or not. */
  readonly webRoot: string;
  readonly rateLimits: RateLimits;
  /** Origins of browser applications that may call the API. @default none */
  readonly corsOrigins?: ReadonlySet<string>;
  readonly limitShare: LimitShare;
  /** Audits refusals. @default no refusal is audited */
  readonly refusals?: RefusalLog;
  /** Whether what a proxy at this address says of its own client counts. */
  readonly trustsProxy: (address: string) => boolean;
  /** Whether cookies have the prefix `__Host-` and are always `Secure`, as in production. @default false */
  readonly hostCookies?: boolean;
  /** What this process knows of its clock. */
  readonly clocks: Pick<ClockWatch, 'ownDefect'>;
  /** Lets in what can be recorded in time. */
  readonly admission: Pick<Admission, 'run'>;
  readonly readiness: readonly ReadinessCheck[];
  readonly metrics: HttpMetrics;
  readonly tracer: Tracer;
  /** Why the database does not serve now, by the store's errors; `null` for others. Causes are looked at too. */
  readonly databaseOutage: (error: unknown) => string | null;
  /**
   * Knows the errors of a ledger that cannot be asked before a change is recorded: whom we may act as, what time it is.
   */
  readonly isLedgerUnavailable?: (error: unknown) => boolean;
  /** Where the provider has moved to, in words for callers; `null` while this deployment has it. @default it has it */
  readonly provider?: { readonly movedTo: string | null };
  /**
   * `health` leaves everything out but `/livez` and `/readyz`, for a process of another role. @default 'api'
   */
  readonly serves?: 'api' | 'health';
  readonly log: FastifyBaseLogger;
  /** Shown in the OpenAPI document. */
  readonly version: string;
}
