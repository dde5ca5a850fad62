import type { Party } from './ids.ts';

/** A provider's own data about a party, which is not on the ledger. */
export interface Customer {
  readonly id: string;
  readonly party: Party;
  readonly name: string;
  /** The prefix for references of licences that the party will get. */
  readonly shortName: string | null;
  readonly emails: readonly string[];
  /** The addresses that have unsubscribed from mails. */
  readonly unsubscribedEmails: readonly string[];
  /** The IANA name of the customer's time zone. */
  readonly timeZone: string | null;
  /** The BCP 47 tag of the customer's language. */
  readonly language: string | null;
  readonly note: string;
  /** The customer's IDs in other systems, keyed by the name of the system. */
  readonly externalReferences: Readonly<Record<string, string>>;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The part of a customer that is included in answers about other objects. */
export type CustomerName = Pick<Customer, 'id' | 'name'>;
