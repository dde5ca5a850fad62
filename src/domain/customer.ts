import type { Party } from './ids.ts';

/** A party as its provider knows it, kept off the ledger. */
export interface Customer {
  readonly id: string;
  readonly party: Party;
  readonly name: string;
  /** The prefix of the references of the party's future licences. */
  readonly shortName: string | null;
  readonly emails: readonly string[];
  /** An IANA name. */
  readonly timeZone: string | null;
  /** A BCP 47 tag. */
  readonly language: string | null;
  readonly note: string;
  /** The customer's IDs in other systems, by the name of the system. */
  readonly externalReferences: Readonly<Record<string, string>>;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The part of a customer that answers about other things include. */
export type CustomerName = Pick<Customer, 'id' | 'name'>;
