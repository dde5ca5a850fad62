import type { Customer } from '../../domain/customer.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** The data of a customer that mails need, with the licence that the event concerns. */
export interface Recipient extends Pick<Customer, 'name' | 'emails' | 'timeZone'> {
  readonly reference: string | null;
  /** ID of the licence's newest contract. */
  readonly contractId: string | null;
}

/** One message to one address. Hashes are SHA-256 in hexadecimal. */
export interface Message {
  readonly id: string;
  /** The hash of the token in the message's unsubscribe link. */
  readonly tokenHash: string;
  readonly addressHash: string;
}

/** The addresses of customers, and which addresses have unsubscribed. */
export interface Mailing {
  /** Returns `null` if the party is not a customer of the provider. */
  recipient(provider: Party, party: Party, licenseId: string, io: Io): Promise<Recipient | null>;
  /**
   * Makes the unsubscribe links of messages valid.
   *
   * @returns the IDs of the messages to send, without those to unsubscribed addresses and those accepted before
   */
  begin(
    of: { readonly provider: Party; readonly party: Party },
    messages: readonly Message[],
    io: Io,
  ): Promise<ReadonlySet<string>>;
  /** Records messages that were accepted, so that a repeated delivery does not send them again. */
  accepted(messages: readonly Message[], io: Io): Promise<void>;
  /** Unsubscribes the address of a link. @returns false if there is no such link */
  unsubscribe(tokenHash: string, io: Io): Promise<boolean>;
}
