import type { Actor } from '../../domain/caller.ts';
import type { Customer, CustomerName } from '../../domain/customer.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { Count, Order } from './views.ts';

/** The members that the provider sets. */
type CustomerData = Omit<
  Customer,
  'id' | 'party' | 'unsubscribedEmails' | 'version' | 'createdAt' | 'updatedAt'
>;

export type NewCustomer = CustomerData & Pick<Customer, 'id' | 'party'>;

/** Absent members are not changed. */
export type CustomerPatch = Partial<CustomerData>;

/** Position in the list of customers, which is ordered by name. */
export type CustomerKey = Pick<Customer, 'name' | 'id'>;

export interface CustomerQuery {
  readonly provider: Party;
  /** Matches part of a name, an external reference, or a whole party. */
  readonly search?: string;
  /** The default is `ascending`, by name. */
  readonly order?: Order;
  readonly after?: CustomerKey;
  readonly limit: number;
}

/** One provider's customers; customers of other providers are invisible. Each change adds a row to the audit log. */
export interface Customers {
  /** Returns `null` if the party is already a customer. */
  add(customer: NewCustomer, by: Actor, io: Io): Promise<Customer | null>;
  list(query: CustomerQuery, io: Io): Promise<readonly Customer[]>;
  /** Counts the matching customers among the first `LIMITS.countMax` by name. */
  count(query: Pick<CustomerQuery, 'provider' | 'search'>, io: Io): Promise<Count>;
  byId(id: string, provider: Party, io: Io): Promise<Customer | null>;
  /**
   * Changes a customer if it has one of these versions.
   *
   * @returns the customer, the version that it has instead, or `null` if there is no such customer
   */
  patch(
    id: string,
    by: Actor,
    patch: CustomerPatch,
    ifVersions: readonly number[] | undefined,
    io: Io,
  ): Promise<Customer | { readonly isAt: number } | null>;
  remove(id: string, by: Actor, io: Io): Promise<boolean>;
  /** Returns those of these parties that are customers, in one statement. */
  ofParties(
    provider: Party,
    parties: readonly Party[],
    io: Io,
  ): Promise<ReadonlyMap<Party, CustomerName>>;
}
