import type { LifecycleId, Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { Count, Order } from './views.ts';

/* Payments, receipts and statistics: tables derived from the projection, and queries on them. */

/** Whether the books have pending work. Read without a transaction. */
export interface BookNews {
  /** Whether the projection has advanced or was rebuilt. */
  readonly hasUpdates: boolean;
  /** Whether a reminder is due by ledger time, or no reminder was ever sent. */
  readonly hasReminders: boolean;
}

/** Updates the books under the scheduler's lease. Answers are `null` if another process holds the lease. */
export interface Books {
  news(reminderDays: readonly number[], provider: Party, io: Io): Promise<BookNews>;
  /** Reads a bounded part of the projection. Returns whether there is more to read. */
  read(leaseEpoch: bigint, io: Io): Promise<boolean | null>;
  /** Sends a bounded number of due reminders. Each reminder is sent once. */
  remind(
    reminderDays: readonly number[],
    provider: Party,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{ readonly told: number; readonly hasMore: boolean } | null>;
}

export const PAYMENT_STATES = [
  'requested',
  'allocated',
  'settled',
  'withdrawn',
  'rejected',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export interface Instrument {
  readonly admin: string;
  readonly id: string;
}

/** The payment of a renewal. Amounts are decimals as text, times ISO 8601. */
export interface Payment {
  readonly renewalId: LifecycleId;
  readonly licenseId: LifecycleId | null;
  readonly licenseNum: bigint;
  /** The licence's reference for people; `null` if the licence is unknown. */
  readonly reference: string | null;
  readonly provider: Party;
  readonly user: Party;
  /** The name that the provider gave the user; `null` if it gave none, and in answers to the user itself. */
  readonly customer: string | null;
  readonly plan: { readonly id: string; readonly version: number } | null;
  readonly amount: string;
  readonly instrument: Instrument;
  readonly description: string;
  readonly state: PaymentState;
  readonly requestedAt: string;
  readonly settleBefore: string;
  readonly endedAt: string | null;
  /** The update that ended the payment; while the payment is open, the update that requested it. */
  readonly updateId: string | null;
  readonly offset: bigint;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly receiptNo: bigint | null;
}

/** The position of a payment request on the ledger. */
export interface PaymentKey {
  readonly offset: bigint;
  readonly node: number;
}

export interface PaymentQuery {
  /** Only payments in which this party is provider or user. */
  readonly party: Party;
  /** Only payments between `party` and this party. */
  readonly other?: Party;
  readonly provider?: Party;
  readonly user?: Party;
  readonly states?: readonly PaymentState[];
  readonly licenseNum?: bigint;
  readonly licenseId?: string;
  readonly plan?: string;
  /** Range of the request time, including `from` and excluding `until`: ISO 8601. */
  readonly from?: string;
  readonly until?: string;
  /** The order of the payments by the time of their requests; the newest first by default. */
  readonly order?: Order;
  readonly after?: PaymentKey;
  readonly limit: number;
}

export type PaymentRow = Payment & { readonly key: PaymentKey };

/** A range of local dates in a time zone: the first day, and the day after the last one. */
export interface Span {
  readonly by: 'day' | 'month';
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
}

/** Numbers of licences at the end of a period, or at present for the current period, and of events within it. */
export interface LicenseFigures {
  readonly period: string;
  readonly active: number;
  readonly trial: number;
  readonly pastDue: number;
  readonly notStarted: number;
  readonly expiringIn30Days: number;
  readonly new: number;
  readonly ended: number;
  readonly due: number;
  readonly renewed: number;
}

export interface RevenueFigures {
  readonly period: string;
  readonly instrument: Instrument;
  readonly payments: number;
  readonly amount: string;
  /** The payments in effect at the end of the period, or at present, converted to an amount for 30 days. */
  readonly recurring: string;
}

export interface PaymentSum {
  /** The month or plan, depending on the request; empty for payments without a plan. */
  readonly key: string;
  readonly instrument: Instrument;
  readonly payments: number;
  readonly amount: string;
}

/** Queries on the books. */
export interface BookReads {
  /** Returns payments ordered by the time of their requests. @throws ProblemError `SEARCH_TOO_BROAD` */
  payments(query: PaymentQuery, io: Io): Promise<readonly PaymentRow[]>;
  /**
   * Counts the matching payments among the newest `LIMITS.countMax` in which the party is provider, and among the
   * newest in which it is user.
   */
  countPayments(query: Omit<PaymentQuery, 'after' | 'limit'>, io: Io): Promise<Count>;
  /** Returns a payment in which the party is provider or user. */
  payment(renewalId: string, party: Party, io: Io): Promise<Payment | null>;
  sums(provider: Party, span: Span, by: 'month' | 'plan', io: Io): Promise<readonly PaymentSum[]>;
  licenses(provider: Party, span: Span, io: Io): Promise<readonly LicenseFigures[]>;
  revenue(provider: Party, span: Span, io: Io): Promise<readonly RevenueFigures[]>;
  /** Returns the ledger time up to which the books have read the projection; `null` before the first read. */
  readTo(io: Io): Promise<string | null>;
}
