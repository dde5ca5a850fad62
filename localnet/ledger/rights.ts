import { LedgerError } from './ledger-error.ts';

export type Right =
  | { readonly kind: 'participantAdmin' }
  | { readonly kind: 'identityProviderAdmin' }
  | { readonly kind: 'canReadAsAnyParty' }
  | { readonly kind: 'canExecuteAsAnyParty' }
  | { readonly kind: 'canActAs'; readonly party: string }
  | { readonly kind: 'canReadAs'; readonly party: string }
  | { readonly kind: 'canExecuteAs'; readonly party: string };

/** A right as text. Two rights are equal exactly when their texts are. */
export const rightKey = (right: Right): string =>
  'party' in right ? `${right.kind} ${right.party}` : right.kind;

const PARTICIPANT_RIGHTS: ReadonlySet<Right['kind']> = new Set<Right['kind']>([
  'participantAdmin',
  'canReadAsAnyParty',
  'canExecuteAsAnyParty',
]);

/** An unknown right, possibly of a later version. */
export const unknownRight = (): LedgerError =>
  new LedgerError(
    'INVALID_ARGUMENT',
    'The submitted request has invalid arguments: unknown kind of right - check that the Ledger API version of the server is recent enough',
  );

/** The reason of a denial, for the server's log. The caller only sees a redacted PERMISSION_DENIED. */
const denied = (why: string) => new LedgerError('PERMISSION_DENIED', why);

/** The rights of one ledger user. Every `require…` throws a `LedgerError` `PERMISSION_DENIED`. */
export class Access {
  readonly userId: string;
  /** The identity provider of the user's tokens; empty: the participant's own. */
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

  /** Allows administrators, and users that have any right for each party. */
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

  /** Allows administrators of the participant, and of the requested identity provider. */
  requireAdministrator(identityProviderId: string): void {
    if (this.isAdmin) return;
    const isOwn = identityProviderId === '' || identityProviderId === this.identityProviderId;
    if (isOwn && this.#rights.has('identityProviderAdmin')) return;
    throw denied(`${this.userId} is no administrator of ${identityProviderId}`);
  }

  /** Some rights may be granted and revoked only by an administrator of the participant. */
  requireGrantable(rights: readonly Right[]): void {
    if (rights.some(({ kind }) => PARTICIPANT_RIGHTS.has(kind))) this.requireAdmin();
  }

  /** Users of an identity provider may ask about this provider only. Returns the effective provider. */
  requireProvider(identityProviderId: string): string {
    const own = this.identityProviderId;
    if (own === '') return identityProviderId;
    if (identityProviderId === '' || identityProviderId === own) return own;
    throw denied(`${this.userId} of ${own} asked about ${identityProviderId}`);
  }

  /** An empty user ID means the token's user; another user is denied. Returns the effective ID. */
  requireUser(userId: string): string {
    if (userId !== '' && userId !== this.userId) {
      throw denied(`${this.userId} asked as ${userId}`);
    }
    return this.userId;
  }
}
