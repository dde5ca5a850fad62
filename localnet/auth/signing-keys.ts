import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import { RealmUsers } from './realm-users.ts';
import type { UserStore } from './realm-users.ts';
import { MASTER, REALMS } from './realms.ts';
import type { Realm } from './realms.ts';
import { servedScopes } from './scopes.ts';
import type { TrustedIssuer } from './verify.ts';

/**
 * Stores signing keys, so that they survive a restart. A value is secret, opaque text of about 2 KiB. `put` must return
 * only after the value is durable, because tokens may be signed with the key directly afterwards.
 */
export interface SigningKeyStore {
  get(realmName: string): string | undefined | Promise<string | undefined>;
  put(realmName: string, value: string): void | Promise<void>;
}

/** A realm with its signing key and its public keys. */
export interface OpenRealm extends TrustedIssuer {
  readonly realm: Realm;
  /** All scopes that clients of the realm may request. */
  readonly scopes: readonly string[];
  /** All users who can sign in. An administrator may have changed the built-in ones. */
  readonly users: RealmUsers;
  readonly signingKey: {
    readonly kid: string;
    readonly privateKey: CryptoKey;
    /** The private key as a JWK, because some libraries accept no other form. Secret. */
    readonly privateJwk: JWK;
  };
}

/** The address of the reference LocalNet's authorization server, as a browser sees it. */
export const DEFAULT_ISSUER_BASE = 'http://keycloak.localhost:8082';

/** The parts of a realm that are stored, so that they survive a restart. */
export interface RealmStore {
  readonly keys: SigningKeyStore;
  readonly users: UserStore;
}

/**
 * Opens the participants' realms. Each realm's signing key is read from the store, or created and stored, so that
 * earlier tokens remain valid after a restart.
 *
 * @param issuerBase the first part of every claim `iss`, whatever host issues the token; without a slash at its end
 * @param strictScope the scope that participants require, if they are strict
 */
export async function openRealms(
  store: RealmStore,
  issuerBase: string = DEFAULT_ISSUER_BASE,
  strictScope?: string,
): Promise<readonly OpenRealm[]> {
  const scopes = servedScopes(strictScope);
  return Promise.all(REALMS.map((realm) => openRealm(realm, store, { issuerBase, scopes })));
}

/**
 * Returns a function that opens the administrators' realm when it is called first, because few networks need its key.
 */
export function masterRealm(
  store: RealmStore,
  issuerBase: string = DEFAULT_ISSUER_BASE,
): () => Promise<OpenRealm> {
  let opened: Promise<OpenRealm> | undefined;
  return () => (opened ??= openRealm(MASTER, store, { issuerBase, scopes: servedScopes() }));
}

async function openRealm(
  realm: Realm,
  { keys, users }: RealmStore,
  { issuerBase, scopes }: { readonly issuerBase: string; readonly scopes: readonly string[] },
): Promise<OpenRealm> {
  const stored = await keys.get(realm.name);
  const privateJwk = stored === undefined ? await makeKey() : parseKey(realm.name, stored);
  if (stored === undefined) await keys.put(realm.name, JSON.stringify(privateJwk));
  const { n, e } = privateJwk;
  const kid = await calculateJwkThumbprint(privateJwk);
  const privateKey = await importJWK(privateJwk, 'RS256');
  if (privateKey instanceof Uint8Array || privateKey.type !== 'private' || !n || !e) {
    throw new TypeError(`the signing key of realm ${realm.name} is not an RSA key`);
  }
  // Fields are listed one by one, so that no private parameter can be published.
  const publicJwk: JWK = { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' };
  const jwks: JSONWebKeySet = { keys: [publicJwk] };
  return {
    realm,
    scopes,
    users: new RealmUsers(realm.name, realm.users, users),
    issuer: `${issuerBase}/realms/${realm.name}`,
    jwks,
    signingKey: { kid, privateKey, privateJwk: { ...privateJwk, kid, alg: 'RS256', use: 'sig' } },
  };
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true, modulusLength: 2048 });
  return exportJWK(privateKey);
}

function parseKey(realmName: string, stored: string): JWK {
  try {
    return JSON.parse(stored) as JWK;
  } catch (cause) {
    throw new TypeError(`the stored signing key of realm ${realmName} cannot be read`, { cause });
  }
}
