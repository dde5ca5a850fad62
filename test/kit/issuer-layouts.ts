/** The names of an authorization server's endpoints and the form of its tokens, according to its documentation. */
export interface IssuerLayout {
  readonly product: string;
  /** Paths relative to the server's origin. `issuer` is the path of the issuer's URL. */
  readonly issuer: string;
  readonly certs: string;
  readonly token: string;
  readonly auth: string;
  readonly logout: string;
  /** False if there is no metadata document. */
  readonly hasMetadata: boolean;
  /** Claims of the tokens in addition to the registered ones. `undefined` omits a claim. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  /** Members of a published key. `undefined` omits a member. */
  readonly key: Readonly<Record<string, unknown>>;
}

const TENANT = '9122040d-6c67-4c5b-b112-36a304b66dad';

/** The client that receives tokens, in every layout. */
export const LAYOUT_CLIENT = 'app-provider-backend-oidc';

export const LAYOUTS: readonly IssuerLayout[] = [
  {
    product: 'Entra',
    issuer: `/${TENANT}/v2.0`,
    certs: `/${TENANT}/discovery/v2.0/keys`,
    token: `/${TENANT}/oauth2/v2.0/token`,
    auth: `/${TENANT}/oauth2/v2.0/authorize`,
    logout: `/${TENANT}/oauth2/v2.0/logout`,
    hasMetadata: true,
    claims: {
      azp: LAYOUT_CLIENT,
      azpacr: '1',
      oid: 'b1f8b2f0-0000-0000-0000-000000000001',
      rh: '0.AXkA.',
      tid: TENANT,
      uti: 'fqiBqXLPj0eQa82S',
      ver: '2.0',
      roles: ['Licences.Read'],
    },
    header: { x5t: 'i6lGk3FZzxRcUb2C3nEQ7syHJlY' },
    // The published key states no algorithm. Its algorithm follows only from its type.
    key: { alg: undefined, x5t: 'i6lGk3FZzxRcUb2C3nEQ7syHJlY', x5c: ['MIIC/jCCAeag'] },
  },
  {
    product: 'Okta',
    issuer: '/oauth2/default',
    certs: '/oauth2/default/v1/keys',
    token: '/oauth2/default/v1/token',
    auth: '/oauth2/default/v1/authorize',
    logout: '/oauth2/default/v1/logout',
    hasMetadata: true,
    claims: {
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      cid: LAYOUT_CLIENT,
      uid: '00uid4BxXw6I6TV4m0g3',
      scp: ['openid', 'licences'],
      auth_time: 1_700_000_000,
    },
    header: { typ: undefined },
    key: {},
  },
  {
    product: 'Auth0',
    issuer: '/',
    certs: '/.well-known/jwks.json',
    token: '/oauth/token',
    auth: '/authorize',
    logout: '/oidc/logout',
    hasMetadata: true,
    claims: {
      sub: `${LAYOUT_CLIENT}@clients`,
      azp: LAYOUT_CLIENT,
      scope: 'read:licences',
      gty: 'client-credentials',
      permissions: ['read:licences'],
    },
    header: { typ: 'at+jwt' },
    key: { x5t: 'NkJCQzIyQzRBMEU4Njhm', x5c: ['MIIC+DCCAeCg'] },
  },
  {
    product: 'ZITADEL',
    issuer: '',
    certs: '/oauth/v2/keys',
    token: '/oauth/v2/token',
    auth: '/oauth/v2/authorize',
    logout: '/oidc/v1/end_session',
    hasMetadata: true,
    claims: {
      sub: '170079991923474689',
      client_id: LAYOUT_CLIENT,
      jti: 'V2_170084404198113537-at_170084404198179073',
      'urn:zitadel:iam:org:project:roles': { reader: { '170079991923474689': 'acme.example' } },
    },
    header: {},
    key: {},
  },
  {
    product: 'Authentik',
    issuer: '/application/o/tenure/',
    certs: '/application/o/tenure/jwks/',
    token: '/application/o/token/',
    auth: '/application/o/authorize/',
    logout: '/application/o/tenure/end-session/',
    hasMetadata: true,
    claims: {
      sub: '7a2b4f1c9f9a0e1d3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f90',
      azp: LAYOUT_CLIENT,
      acr: 'goauthentik.io/providers/oauth2/default',
      auth_time: 1_700_000_000,
      uid: 'kqVH0lGqQ9',
      scope: 'openid profile',
    },
    header: {},
    key: { x5t: 'mM2z', 'x5t#S256': 'mM2z', x5c: ['MIIFUzCCAzug'] },
  },
  {
    product: 'Keycloak without metadata',
    issuer: '/realms/acme',
    certs: '/realms/acme/protocol/openid-connect/certs',
    token: '/realms/acme/protocol/openid-connect/token',
    auth: '/realms/acme/protocol/openid-connect/auth',
    logout: '/realms/acme/protocol/openid-connect/logout',
    hasMetadata: false,
    claims: { azp: LAYOUT_CLIENT, typ: 'Bearer', realm_access: { roles: ['reader'] } },
    header: {},
    key: {},
  },
];
