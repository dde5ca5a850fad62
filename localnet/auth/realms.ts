/*
 * Terms
 * - realm:           one tenant of the authorization server, with its own issuer, keys, clients and users
 * - client:          a program that requests tokens; `confidential` if it can keep a secret, else `public`
 * - service account: the ledger user for which a client's own tokens (client credentials) are valid
 *
 * Every secret and password below is PUBLIC: these are the demo credentials that the reference LocalNet ships to
 * everybody. They protect nothing and must never be reused for anything that should be protected.
 */

/** The grants that a client may use at the token endpoint. */
export type GrantType = 'client_credentials' | 'password' | 'authorization_code' | 'refresh_token';

export interface RealmClient {
  readonly clientId: string;
  readonly grants: readonly GrantType[];
  /** Present only for confidential clients. A public client authenticates by its ID alone. */
  readonly publicDemoSecret?: string;
  /** Claim `sub` of the client's own tokens. Present exactly if the client has the client-credentials grant. */
  readonly serviceAccountId?: string;
  /** Whether user tokens of this client contain the user's party as claim `party_id`. */
  readonly addsPartyId?: boolean;
  /** Redirect targets after a login or logout through this client: see `isRegisteredUri`. */
  readonly redirectUris?: readonly string[];
}

export interface RealmUser {
  /** In lower case. */
  readonly username: string;
  /** Claim `sub`, which is also the ledger user's ID. */
  readonly id: string;
  readonly publicDemoPassword: string;
  /** In lower case. The user can also sign in with it. */
  readonly email?: string;
  /** First and last name together are the claim `name`. */
  readonly firstName: string;
  readonly lastName: string;
  /** Claim `roles`, which is absent from the token if the user has no roles. */
  readonly roles?: readonly string[];
  /** Set by an administrator. The first `partyId` becomes claim `party_id`. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** The time at which the user was added, in milliseconds of wall time; absent for built-in users. */
  readonly createdAtMs?: number;
}

export interface Realm {
  readonly name: RealmName;
  readonly clients: readonly RealmClient[];
  readonly users: readonly RealmUser[];
}

export type RealmName = 'AppProvider' | 'AppUser' | 'master';

/** The password of each user that a realm has from the start. */
export const PUBLIC_DEMO_PASSWORD = 'abc123';

/**
 * Additions to the reference application's redirect URIs, because not every machine resolves `*.localhost`, and tests
 * use other ports.
 */
const LOOPBACK_REDIRECT_URIS = ['http://localhost:*', 'http://127.0.0.1:*'];

const login = (clientId: string, redirectUri: string): RealmClient => ({
  clientId,
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [redirectUri, ...LOOPBACK_REDIRECT_URIS],
});

const APP_PROVIDER: Realm = {
  name: 'AppProvider',
  clients: [
    {
      clientId: 'app-provider-backend',
      grants: ['client_credentials'],
      publicDemoSecret: '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz',
      serviceAccountId: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
    },
    {
      clientId: 'app-provider-validator',
      grants: ['client_credentials'],
      publicDemoSecret: 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
      serviceAccountId: 'c87743ab-80e0-4b83-935a-4c0582226691',
    },
    {
      clientId: 'app-provider-pqs',
      grants: ['client_credentials'],
      publicDemoSecret: 'zuYvMzWEo8csYNiQNlmXNPsmPErBWP3W',
      serviceAccountId: '0145df12-c560-40fa-bef3-caff2c5c2224',
    },
    { clientId: 'app-provider-unsafe', grants: ['password'] },
    login('app-provider-backend-oidc', 'http://app-provider.localhost:*'),
    login('app-provider-wallet', 'http://wallet.localhost:*'),
    login('app-provider-ans', 'http://ans.localhost:*'),
  ],
  users: [
    {
      username: 'app-provider',
      id: '553c6754-8879-41c9-ae80-b302f5af92c9',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      email: 'app-provider@app-provider.localhost',
      firstName: 'app',
      lastName: 'provider',
    },
    {
      username: 'beatris',
      id: '3c467325-772f-4f93-8972-711ec75634b1',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      email: 'beatris@app-provider.localhost',
      firstName: 'Beatris',
      lastName: 'Doe',
    },
    {
      // This user does not exist in the reference application: a person at the operations desk.
      username: 'operator',
      id: '6f0c0a5e-3c1d-4d6e-9a52-0b7d1c2e8f44',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      firstName: 'operator',
      lastName: '',
      roles: ['operator'],
    },
  ],
};

const APP_USER: Realm = {
  name: 'AppUser',
  clients: [
    {
      clientId: 'app-user-validator',
      grants: ['client_credentials'],
      publicDemoSecret: '6m12QyyGl81d9nABWQXMycZdXho6ejEX',
      serviceAccountId: '97bb6cef-a7a9-410b-ba8c-ada08451a5c9',
    },
    {
      clientId: 'app-user-pqs',
      grants: ['client_credentials', 'password'],
      publicDemoSecret: '7WkEjRTCSDz7u8CuXRWFp0UKdAp24hO4',
      serviceAccountId: 'eecd72be-b6a6-44ed-834a-9305ad22f610',
    },
    { clientId: 'app-user-unsafe', grants: ['password'], addsPartyId: true },
    {
      ...login('app-provider-backend-oidc', 'http://app-provider.localhost:*'),
      addsPartyId: true,
    },
    login('app-user-wallet', 'http://wallet.localhost:*'),
    login('app-user-ans', 'http://ans.localhost:*'),
  ],
  users: [
    {
      username: 'app-user',
      id: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      email: 'app-user@app-user.localhost',
      firstName: 'app',
      lastName: 'user',
    },
    {
      username: 'adrian',
      id: 'e37a3590-77d7-4acf-a053-70e84211dfa6',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      email: 'adrian@app-user.localhost',
      firstName: 'Adrian',
      lastName: 'Doe',
    },
    {
      // This user does not exist in the reference application: a person at the tenant's own operations desk.
      username: 'operator',
      id: 'b2a7c1d4-58e6-4f39-8c0b-6d41e7f2a953',
      publicDemoPassword: PUBLIC_DEMO_PASSWORD,
      firstName: 'operator',
      lastName: 'of the user',
      roles: ['operator'],
    },
  ],
};

/** The realms of the reference LocalNet whose tokens participants accept. */
export const REALMS: readonly Realm[] = [APP_PROVIDER, APP_USER];

/** The realm from which the other realms are administered. No participant accepts its tokens. */
export const MASTER: Realm = {
  name: 'master',
  clients: [{ clientId: 'admin-cli', grants: ['password'] }],
  users: [
    {
      username: 'admin',
      id: '0c1bfb9a-6b0e-4d5e-8f4e-2b8a5c0b7e11',
      publicDemoPassword: 'admin',
      firstName: 'admin',
      lastName: '',
    },
  ],
};
