import type { Actor } from '../../domain/caller.ts';
import type { Customer, CustomerName } from '../../domain/customer.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

export type NewCustomer = Omit<Customer, 'version' | 'createdAt' | 'updatedAt'>;

/** Members that are not named stay as they are. */
export type CustomerPatch = Partial<
  Omit<Customer, 'id' | 'party' | 'version' | 'createdAt' | 'updatedAt'>
>;

/** Position in the order of customers: by name. */
export type CustomerKey = Pick<Customer, 'name' | 'id'>;

export interface CustomerQuery {
  readonly provider: Party;
  /** Part of a name, an external reference or a whole party. */
  readonly search?: string;
  readonly after?: CustomerKey;
  readonly limit: number;
}

/** A provider's customers: of another provider's there is nothing. Each change leaves a row in the audit log. */
export interface Customers {
  /** `null` when the party is a customer already. */
  add(customer: NewCustomer, by: Actor, io: Io): Promise<Customer | null>;
  list(query: CustomerQuery, io: Io): Promise<readonly Customer[]>;
  byId(id: string, provider: Party, io: Io): Promise<Customer | null>;
  /**
   * Changes a customer that is at one of these versions.
   *
   * @returns the customer; the version that it has instead; `null` for none
   */
  patch(
    id: string,
    by: Actor,
    patch: CustomerPatch,
    ifVersions: readonly number[] | undefined,
    io: Io,
  ): Promise<Customer | { readonly isAt: number } | null>;
  remove(id: string, by: Actor, io: Io): Promise<boolean>;
  /** The customers among these parties, in one statement. */
  ofParties(
    provider: Party,
    parties: readonly Party[],
    io: Io,
  ): Promise<ReadonlyMap<Party, CustomerName>>;
}
