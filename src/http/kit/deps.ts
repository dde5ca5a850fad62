import type { BulkActs } from '../../app/desk/bulk-acts.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Desk } from '../../app/desk/desk.ts';
import type { Alarms } from '../../app/ports/alarms.ts';
import type { ClockCheck } from '../../app/ports/clocks.ts';
import type { Io } from '../../app/ports/io.ts';
import type { KeptAnswers } from '../../app/ports/kept-answers.ts';
import type { LedgerGateway, PartyDirectory } from '../../app/ports/ledger.ts';
import type { Customers } from '../../app/ports/customers.ts';
import type { LicenseRecords } from '../../app/ports/license-records.ts';
import type { Mailing } from '../../app/ports/mailing.ts';
import type { Plans } from '../../app/ports/plans.ts';
import type { Pauses } from '../../app/ports/pauses.ts';
import type { Hear } from '../../app/engine/doubts/proof.ts';
import type { Policies, PolicyDelays, Timers } from '../../app/ports/policies.ts';
import type { Previews } from '../../app/ports/previews.ts';
import type { RefusalLog } from '../../app/ports/refusals.ts';
import type { RegisterTenantDeps } from '../../app/callers/register-tenant.ts';
import type { RequestChangeDeps } from '../../app/engine/requests/change-request.ts';
import type { Door } from '../../app/engine/requests/request-change.ts';
import type { Subscriptions } from '../../app/ports/subscriptions.ts';
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

/** A condition that must hold before this process takes requests. */
export interface ReadinessCheck {
  readonly name: string;
  /** Rejects with the reason if the condition does not hold, in words for an operator. */
  check(io: Io): Promise<void>;
}

/** Measurements of requests, and the export of all measurements. */
export interface HttpMetrics {
  answered(request: {
    readonly method: string;
    /** The route with parameters in place of ids, or `unmatched`. */
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** Returns all measurements of this process in Prometheus format, without unreadable ones. Never rejects. */
  exposition(): Promise<{ readonly type: string; readonly text: string }>;
}

/** The raw queue as pages, scripts and figures, for operators. */
interface QueueBoard {
  /**
   * Requests a page, a script or figures of the board.
   *
   * @param url path below the board, with its query
   * @throws while the queue cannot be reached
   */
  get(url: string): Promise<{
    readonly status: number;
    readonly type: string;
    readonly body: Buffer;
  }>;
  close(): Promise<void>;
}

/** Data that sellers of licences need and that is kept outside the ledger. */
export interface ProductDeps {
  readonly customers: Customers;
  readonly plans: Plans;
  readonly licenseRecords: LicenseRecords;
  readonly subscriptions: Subscriptions;
  readonly mailing: Pick<Mailing, 'unsubscribe'>;
}

/** The dependencies of the server. */
export interface HttpDeps extends RequestChangeDeps, RegisterTenantDeps, ProductDeps {
  /** Records requests of callers. */
  readonly door: Door;
  /** Turns the `Authorization` header of a program into a caller; throws ProblemError. */
  readonly authenticate: (authorization: string | undefined) => Promise<Caller>;
  /** Sign-in of people, and their sessions. */
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly outcomes: Outcomes;
  readonly webhooks: Webhooks;
  /** Validation of licences, with their keys, machines and files. */
  readonly validation: Validation;
  /** Returns why no request may be sent to a webhook's target, or `null`. @throws ProblemError for too many requests */
  readonly targetDefect: (url: URL, party: Party) => Promise<string | null>;
  /** The events that followers read. */
  readonly events: EventFeed;
  /** Operations that have waited too long. */
  readonly alarms: Pick<Alarms, 'list'>;
  /** Pauses of operators, and participants with an open circuit. */
  readonly pauses: Pauses;
  readonly policies: Policies & PolicyDelays;
  /** How long a confirmed policy waits before it acts. */
  readonly policyDelayMs: number;
  /** Previews of irreversible acts. */
  readonly previews: Previews;
  /** Answers of requests with an `Idempotency-Key` that record no operation. */
  readonly keptAnswers: Pick<KeptAnswers, 'begin' | 'keep' | 'forget'>;
  readonly timers: Pick<Timers, 'page'>;
  /** The searches for operators. */
  readonly desk: Desk;
  /** The time zone of the days in statistics. @default UTC */
  readonly timeZone?: string;
  /** Reads the ledger end, with which the position of the projection is compared. */
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd' | 'synchronizers'>;
  /** Reports which tenants' parties are on the ledger. */
  readonly partyDirectory: PartyDirectory;
  /** Reads new events of the participant before a person acts on an operation that may be in flight. */
  readonly hear: Hear;
  /** Bulk acts of operators. */
  readonly bulkActs: BulkActs;
  readonly queueBoard: QueueBoard;
  /** The folder of the built web application, which may not exist. */
  readonly webRoot: string;
  readonly rateLimits: RateLimits;
  /** Origins of browser applications that may call the API. @default none */
  readonly corsOrigins?: ReadonlySet<string>;
  readonly limitShare: LimitShare;
  /** Records refused requests in the audit log. @default refusals are not recorded */
  readonly refusals?: RefusalLog;
  /** Whether the headers of a proxy at this address are trusted. */
  readonly trustsProxy: (address: string) => boolean;
  /** Whether cookie names begin with `__Host-` and cookies are always `Secure`, as in production. @default false */
  readonly hostCookies?: boolean;
  /** The check of this process's own clock. */
  readonly clocks: Pick<ClockCheck, 'ownDefect'>;
  /** Admits requests that can be recorded in time. */
  readonly admission: Pick<Admission, 'run' | 'awaiting'>;
  readonly readiness: readonly ReadinessCheck[];
  readonly metrics: HttpMetrics;
  readonly tracer: Tracer;
  /** Returns why the database is unavailable if an error of the store or one of its causes shows that; else `null`. */
  readonly databaseOutage: (error: unknown) => string | null;
  /** Recognises errors of an unreachable ledger when our rights or the ledger's time are read before a change. */
  readonly isLedgerUnavailable?: (error: unknown) => boolean;
  /** The place to which the provider has moved, in words for callers; `null` if it has not moved. @default `null` */
  readonly provider?: { readonly movedTo: string | null };
  /** With `health`, only `/livez` and `/readyz` are served, for a process of another role. @default 'api' */
  readonly serves?: 'api' | 'health';
  readonly log: FastifyBaseLogger;
  /** The version that the OpenAPI document shows. */
  readonly version: string;
}
