import { LedgerError } from './ledger-error.ts';

export type Right =
  | { readonly kind: 'participantAdmin' }
  | { readonly kind: 'identityProviderAdmin' }
  | { readonly kind: 'canReadAsAnyParty' }
  | { readonly kind: 'canExecuteAsAnyParty' }
  | { readonly kind: 'canActAs'; readonly party: string }
  | { readonly kind: 'canReadAs'; readonly party: string }
  | { readonly kind: 'canExecuteAs'; readonly party: string };

/** Returns a text that is the same for two rights exactly if the rights are the same. */
export const rightKey = (right: Right): string =>
  'party' in right ? `${right.kind} ${right.party}` : right.kind;

const PARTICIPANT_RIGHTS: ReadonlySet<Right['kind']> = new Set<Right['kind']>([
  'participantAdmin',
  'canReadAsAnyParty',
  'canExecuteAsAnyParty',
]);

/** Returns the error for an unknown right, which may come from a later version of the API. */
export const unknownRight = (): LedgerError =>
  new LedgerError(
    'INVALID_ARGUMENT',
    'The submitted request has invalid arguments: unknown kind of right - check that the Ledger API version of the server is recent enough',
  );

/** Returns a PERMISSION_DENIED error. Its reason is only for the server's log; the caller does not see it. */
const denied = (why: string) => new LedgerError('PERMISSION_DENIED', why);

/**
 * The rights of one ledger user. Every method `require…` throws a `LedgerError` PERMISSION_DENIED if the right is
 * missing.
 */
export class Access {
  readonly userId: string;
  /** The identity provider of the user's tokens; empty for the participant's own. */
  readonly identityProviderId: string;
  readonly #rights: ReadonlySet<string>;

  constructor(userId: string, rights: Iterable<Right>, identityProviderId = '') {
    this.userId = userId;
    this.identityProviderId = identityProviderId;
    this.#rights = new Set(Array.from(rights, rightKey));
  }

  get isAdmin(): boolean {
    return this.#rights.has('participantAdmin');
  }

  get readsAnyParty(): boolean {
    return this.#rights.has('canReadAsAnyParty');
  }

  canActAs(party: string): boolean {
    return this.#rights.has(`canActAs ${party}`);
  }

  canReadAs(party: string): boolean {
    return (
      this.#rights.has(`canReadAs ${party}`) ||
      this.#rights.has(`canActAs ${party}`) ||
      this.readsAnyParty
    );
  }

  canExecuteAs(party: string): boolean {
    return (
      this.canActAs(party) ||
      this.#rights.has(`canExecuteAs ${party}`) ||
      this.#rights.has('canExecuteAsAnyParty')
    );
  }

  requireExecuteAs(parties: Iterable<string>): void {
    for (const party of parties) {
      if (!this.canExecuteAs(party)) throw denied(`${this.userId} may not execute as ${party}`);
    }
  }

  requireActAs(parties: Iterable<string>): void {
    for (const party of parties) {
      if (!this.canActAs(party)) throw denied(`${this.userId} may not act as ${party}`);
    }
  }

  requireReadAs(parties: Iterable<string>): void {
    for (const party of parties) {
      if (!this.canReadAs(party)) throw denied(`${this.userId} may not read as ${party}`);
    }
  }

  #canOperateAs(party: string): boolean {
    return (
      this.canReadAs(party) ||
      this.#rights.has(`canExecuteAs ${party}`) ||
      this.#rights.has('canExecuteAsAnyParty')
    );
  }

  /** Requires an administrator, or a user who has some right for each of the parties. */
  requireOperateAs(parties: readonly string[]): void {
    if (this.isAdmin || (parties.length > 0 && parties.every((it) => this.#canOperateAs(it)))) {
      return;
    }
    throw denied(`${this.userId} may not ask about ${parties.join(', ')}`);
  }

  requireReadAsAnyParty(): void {
    if (!this.readsAnyParty) throw denied(`${this.userId} may not read as any party`);
  }

  requireAdmin(): void {
    if (!this.isAdmin) throw denied(`${this.userId} is no participant admin`);
  }

  /** Requires an administrator of the participant, or one of the requested identity provider. */
  requireAdministrator(identityProviderId: string): void {
    if (this.isAdmin) return;
    const isOwn = identityProviderId === '' || identityProviderId === this.identityProviderId;
    if (isOwn && this.#rights.has('identityProviderAdmin')) return;
    throw denied(`${this.userId} is no administrator of ${identityProviderId}`);
  }

  /** Requires an administrator of the participant, if one of the rights may only be granted or revoked by one. */
  requireGrantable(rights: readonly Right[]): void {
    if (rights.some(({ kind }) => PARTICIPANT_RIGHTS.has(kind))) this.requireAdmin();
  }

  /** Returns the identity provider that a request names. Users of an identity provider may name only their own. */
  requireProvider(identityProviderId: string): string {
    const own = this.identityProviderId;
    if (own === '') return identityProviderId;
    if (identityProviderId === '' || identityProviderId === own) return own;
    throw denied(`${this.userId} of ${own} asked about ${identityProviderId}`);
  }

  /** Returns the user ID that a request names. An empty ID means the token's user; any other user is denied. */
  requireUser(userId: string): string {
    if (userId !== '' && userId !== this.userId) {
      throw denied(`${this.userId} asked as ${userId}`);
    }
    return this.userId;
  }
}
