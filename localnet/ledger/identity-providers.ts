import { readMask } from './admin-requests.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { ParticipantState } from './participant-state.ts';
import type { Access } from './rights.ts';
import { invalidArgument, invalidField, missingField } from './submission-checks.ts';

/** An external authorization server whose tokens a participant accepts, for the server's own users. */
export interface IdentityProvider {
  readonly identityProviderId: string;
  readonly isDeactivated: boolean;
  /** The claim `iss` of the identity provider's tokens. */
  readonly issuer: string;
  /** The URL at which the identity provider publishes its keys. */
  readonly jwksUrl: string;
  /** The value that claim `aud` must contain; if empty, any audience is accepted. */
  readonly audience: string;
}

const PROVIDERS_MAX = 16;
const ID = /^[A-Za-z0-9#:\-_/ ]{1,255}$/;
const FIELDS = [
  'identity_provider_id',
  'is_deactivated',
  'jwks_url',
  'issuer',
  'audience',
] as const;

const resources = (name: string) => ({
  resources: [{ type: 'IDENTITY_PROVIDER_CONFIG', name }],
});

/** The identity providers of one participant. The default provider has an empty ID and is not in the list. */
export class IdentityProviders {
  readonly #store: LedgerStore;
  readonly #state: ParticipantState;

  constructor(store: LedgerStore, state: ParticipantState) {
    this.#store = store;
    this.#state = state;
  }

  list(): readonly IdentityProvider[] {
    return [...this.#state.identityProviders.values()];
  }

  /** Returns the active identity provider with this issuer; `undefined` if the issuer is not trusted. */
  byIssuer(issuer: string): IdentityProvider | undefined {
    return this.list().find((one) => one.issuer === issuer && !one.isDeactivated);
  }

  /** Throws MISSING_FIELD, INVALID_FIELD, IDP_CONFIG_NOT_FOUND. */
  get(identityProviderId: string): IdentityProvider {
    return this.#find('getting identity provider config', identityProviderId);
  }

  /** Throws IDP_CONFIG_ALREADY_EXISTS, IDP_CONFIG_ISSUER_ALREADY_EXISTS, TOO_MANY_IDENTITY_PROVIDER_CONFIGS. */
  create(config: IdentityProvider | undefined): IdentityProvider {
    const operation = 'creating identity provider config';
    if (config === undefined) throw missingField('identity_provider_config');
    const { identityProviderId: id, jwksUrl, issuer } = config;
    checkId(id);
    if (jwksUrl === '') throw missingField('jwks_url');
    checkUrl(jwksUrl);
    if (issuer === '') throw missingField('issuer');
    if (this.#state.identityProviders.has(id)) {
      throw new LedgerError(
        'IDP_CONFIG_ALREADY_EXISTS',
        `${operation} failed, as identity provider "${id}" already exists`,
        resources(id),
      );
    }
    this.#requireOnly(operation, config);
    if (this.#state.identityProviders.size >= PROVIDERS_MAX) {
      throw new LedgerError('TOO_MANY_IDENTITY_PROVIDER_CONFIGS', `${operation} failed.`);
    }
    return this.#write(config);
  }

  /** Throws INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST, and the errors of the other methods. */
  update(
    config: IdentityProvider | undefined,
    mask: readonly string[] | undefined,
  ): IdentityProvider {
    const operation = 'updating identity provider config';
    if (config === undefined) throw missingField('identity_provider_config');
    const { identityProviderId: id, isDeactivated, jwksUrl, issuer, audience } = config;
    checkId(id);
    if (jwksUrl !== '') checkUrl(jwksUrl);
    if (mask === undefined) throw missingField('update_mask');
    const isNamed = readMask(
      mask,
      FIELDS,
      (reason) =>
        new LedgerError(
          'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
          `Update operation for identity provider config '${id}' failed due to: ${reason}`,
          resources(id),
        ),
    );
    const updated = {
      ...this.#find(operation, id),
      ...(isNamed('is_deactivated', !isDeactivated) ? { isDeactivated } : {}),
      // An empty text is neither a URL nor an issuer, so it changes nothing.
      ...(isNamed('jwks_url', false) && jwksUrl !== '' ? { jwksUrl } : {}),
      ...(isNamed('issuer', false) && issuer !== '' ? { issuer } : {}),
      ...(isNamed('audience', audience === '') ? { audience } : {}),
    };
    this.#requireOnly(operation, updated);
    return this.#write(updated);
  }

  /** Throws IDP_CONFIG_NOT_FOUND. */
  delete(identityProviderId: string): void {
    this.#find('deleting identity provider config', identityProviderId);
    const participant = this.#state.name;
    this.#store.commit({ kind: 'identityProviderDeleted', participant, identityProviderId });
  }

  /**
   * Returns the ID of the identity provider whose users or parties are requested: the ID in the request, or else the
   * caller's own. Throws PERMISSION_DENIED for another provider than the caller's, and INVALID_ARGUMENT for an unknown
   * one.
   */
  scopeOf(access: Access, identityProviderId: string): string {
    const id = access.requireProvider(identityProviderId);
    this.requireKnown(id);
    return id;
  }

  /** Throws INVALID_ARGUMENT for an unknown identity provider. The default provider always exists. */
  requireKnown(identityProviderId: string): void {
    if (identityProviderId === '' || this.#state.identityProviders.has(identityProviderId)) return;
    throw invalidArgument(
      `Provided identity_provider_id Id(${identityProviderId.slice(0, 255)}) has not been found.`,
    );
  }

  #find(operation: string, id: string): IdentityProvider {
    checkId(id);
    const found = this.#state.identityProviders.get(id);
    if (found !== undefined) return found;
    throw new LedgerError(
      'IDP_CONFIG_NOT_FOUND',
      `${operation} failed for unknown identity provider id="${id}"`,
      resources(id),
    );
  }

  #requireOnly(operation: string, { identityProviderId, issuer }: IdentityProvider): void {
    const isTaken = this.list().some(
      (one) => one.issuer === issuer && one.identityProviderId !== identityProviderId,
    );
    if (!isTaken) return;
    throw new LedgerError(
      'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
      `${operation} failed, as identity provider with issuer "${issuer}" already exists`,
      resources(issuer),
    );
  }

  #write(config: IdentityProvider): IdentityProvider {
    this.#store.commit({ kind: 'identityProvider', participant: this.#state.name, config });
    return config;
  }
}

function checkId(id: string): void {
  if (id === '') throw missingField('identity_provider_id');
  if (!ID.test(id)) {
    throw invalidField('identity_provider_id', `non expected character in '${id.slice(0, 100)}'`);
  }
}

function checkUrl(url: string): void {
  try {
    const { protocol } = new URL(url);
    if (protocol === 'http:' || protocol === 'https:') return;
  } catch {
    // The next lines throw the error.
  }
  throw invalidField('jwks_url', `Malformed URL: no protocol: ${url.slice(0, 200)}`);
}
