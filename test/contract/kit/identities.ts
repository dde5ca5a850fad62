import type { ParticipantName } from '../../../localnet/ports.ts';

/** A ledger user for which a test can get a token, and the participant on which it exists. */
export interface Identity {
  readonly participant: ParticipantName;
  readonly realm: 'AppUser' | 'AppProvider';
  /** The claim `sub`, which is the ID of the ledger user. */
  readonly userId: string;
  /** The fields of the token request's form, without `scope`. */
  readonly grant: Readonly<Record<string, string>>;
}

const clientCredentials = (clientId: string, secret: string): Identity['grant'] => ({
  grant_type: 'client_credentials',
  client_id: clientId,
  client_secret: secret,
});

/*
 * The public demo credentials of the reference network, which are repeated here on purpose: if a network accepts only
 * other credentials, it is not compatible, whatever its own tables contain.
 */

/** The administrator of the user's participant. */
export const USER_ADMIN: Identity = {
  participant: 'app-user',
  realm: 'AppUser',
  userId: '97bb6cef-a7a9-410b-ba8c-ada08451a5c9',
  grant: clientCredentials('app-user-validator', '6m12QyyGl81d9nABWQXMycZdXho6ejEX'),
};

/** A second user of the user's participant, without rights of administration. */
export const USER_READER: Identity = {
  participant: 'app-user',
  realm: 'AppUser',
  userId: 'eecd72be-b6a6-44ed-834a-9305ad22f610',
  grant: clientCredentials('app-user-pqs', '7WkEjRTCSDz7u8CuXRWFp0UKdAp24hO4'),
};

/** The person who acts for the user's party. The token comes from a password grant. */
export const USER_PERSON: Identity = {
  participant: 'app-user',
  realm: 'AppUser',
  userId: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
  grant: {
    grant_type: 'password',
    client_id: 'app-user-unsafe',
    username: 'app-user',
    password: 'abc123',
  },
};

/** A caller that no participant knows, although its token is valid and from the right realm. */
export const STRANGER: Identity = {
  participant: 'app-user',
  realm: 'AppUser',
  userId: 'e37a3590-77d7-4acf-a053-70e84211dfa6',
  grant: {
    grant_type: 'password',
    client_id: 'app-user-unsafe',
    username: 'adrian',
    password: 'abc123',
  },
};

/** The administrator of the provider's participant. */
export const PROVIDER_ADMIN: Identity = {
  participant: 'app-provider',
  realm: 'AppProvider',
  userId: 'c87743ab-80e0-4b83-935a-4c0582226691',
  grant: clientCredentials('app-provider-validator', 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC'),
};

/** The backend, which may act and read as the provider's party. */
export const PROVIDER_BACKEND: Identity = {
  participant: 'app-provider',
  realm: 'AppProvider',
  userId: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
  grant: clientCredentials('app-provider-backend', '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz'),
};

/** A user that may read as the provider's party, but not act as it. */
export const PROVIDER_READER: Identity = {
  participant: 'app-provider',
  realm: 'AppProvider',
  userId: '0145df12-c560-40fa-bef3-caff2c5c2224',
  grant: clientCredentials('app-provider-pqs', 'zuYvMzWEo8csYNiQNlmXNPsmPErBWP3W'),
};
