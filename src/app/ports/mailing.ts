import type { Customer } from '../../domain/customer.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** A customer as mails need it, with the licence that an event concerns. */
export interface Recipient extends Pick<Customer, 'name' | 'emails' | 'timeZone'> {
  readonly reference: string | null;
  /** The newest contract of the licence. */
  readonly contractId: string | null;
}

/** One message to one address. Hashes are SHA-256, in hexadecimal. */
export interface Message {
  readonly id: string;
  /** The hash of the token in the link that ends mails to the address. */
  readonly tokenHash: string;
  readonly addressHash: string;
}

/** The addresses of customers, and which of them want no mail. */
export interface Mailing {
  /** Returns `null` if the party is no customer. */
  recipient(provider: Party, party: Party, licenseId: string, io: Io): Promise<Recipient | null>;
  /**
   * Makes the links of messages valid.
   *
   * @returns the IDs of the messages to send: not to unsubscribed addresses, and not those accepted before
   */
  begin(
    of: { readonly provider: Party; readonly party: Party },
    messages: readonly Message[],
    io: Io,
  ): Promise<ReadonlySet<string>>;
  /** Records messages that need not be sent again with a delivery that is tried again. */
  accepted(messages: readonly Message[], io: Io): Promise<void>;
  /** Ends mails to the address of a link. @returns whether there is such a link */
  unsubscribe(tokenHash: string, io: Io): Promise<boolean>;
}
