import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { errors, interactionPolicy, Provider } from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { ACCESS_TOKEN_LIFE_S, accessTokenClaims, partyOf, userClaims } from './access-token.ts';
import { messagePage, PAGE_HEADERS, signOutPage } from './login-page.ts';
import {
  clientOf,
  finishHintedLogout,
  keepRefreshedSession,
  protectPages,
  SSO_IDLE_S,
  tellGrantedScopes,
} from './login-steps.ts';
import type { RealmUser } from './realms.ts';
import { isRegisteredUri } from './redirect-uris.ts';
import { grantedScopes, splitScopes } from './scopes.ts';
import { SessionStore } from './session-store.ts';
import type { OpenRealm } from './signing-keys.ts';
import { LOCALNET_AUDIENCE } from './verify.ts';

/*
 * The login of one realm, based on a certified provider library. It handles everything that needs a browser:
 * authorization requests, login sessions, codes, refresh tokens, logout. Its tokens have the same claims and are signed
 * with the same key as those of the grants for programs. Loading the library takes a third of a second, so this file is
 * imported only at the first login.
 */

export interface LoginProviderOptions {
  /** Returns the party of a user. Called for every token. */
  readonly partyIdOf: (userId: string) => string | undefined;
  /** Called for errors that should never happen. The caller has already got status 500. */
  readonly onBug: (error: unknown) => void;
}

/** The maximum lifetime of a login, whether or not it is used. */
const SSO_LIFE_S = 10 * 60 * 60;
/** The maximum time between showing the login page and submitting its form. */
const SIGN_IN_S = 30 * 60;
const CODE_LIFE_S = 60;

export const openIdConnectPath = (realmName: string): string =>
  `/realms/${realmName}/protocol/openid-connect`;

/** Returns the path of a realm's login page, without the last segment. */
export const signInPath = (realmName: string): string =>
  `/realms/${realmName}/login-actions/authenticate`;

/** A login that has begun: the browser shows the form. */
export interface PendingSignIn {
  readonly uid: string;
  readonly clientId: string;
  /** The user that the client expects, if it has given a hint. */
  readonly loginHint: string | undefined;
  /** The signed-in user who has to enter the password again at the client's request. */
  readonly again: RealmUser | undefined;
  /**
   * Completes the login. Returns the URL to which the browser is redirected, or undefined if the login has ended
   * already.
   */
  complete(user: RealmUser): Promise<string | undefined>;
}

export interface LoginProvider {
  /** Answers requests to those endpoints below {@link openIdConnectPath} that belong to a login. */
  readonly handle: RequestListener;
  /** Returns the login to which the browser's cookie refers, unless it has expired or ended. */
  pendingSignIn(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<PendingSignIn | undefined>;
}

export function openLoginProvider(open: OpenRealm, options: LoginProviderOptions): LoginProvider {
  const provider = createProvider(open, options);
  const answer = provider.callback();
  return {
    handle: (request, response) => void answer(request, response),
    pendingSignIn: async (request, response) => {
      const interaction = await unlessOver(provider.interactionDetails(request, response));
      if (interaction === undefined) return undefined;
      const { client_id: clientId, login_hint: loginHint } = interaction.params;
      return {
        uid: interaction.uid,
        clientId: String(clientId),
        loginHint: typeof loginHint === 'string' ? loginHint : undefined,
        again: askedAgain(open, interaction),
        complete: async (user) => {
          await endForeignSession(provider, interaction, user);
          const login = { accountId: user.id, remember: false, amr: ['pwd'] };
          return unlessOver(provider.interactionResult(request, response, { login }));
        },
      };
    },
  };
}

async function unlessOver<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

/** Reasons to ask for a login although one exists: the client requests it, or the existing login is too old. */
const AGAIN = ['login_prompt', 'max_age'];

const askedAgain = ({ users }: OpenRealm, { prompt, session }: Interaction) =>
  prompt.reasons.some((reason) => AGAIN.includes(reason))
    ? users.get(session?.accountId)
    : undefined;

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Ends another user's login in the same browser, because otherwise the new login would be refused. */
async function endForeignSession(
  provider: Provider,
  interaction: Interaction,
  user: RealmUser,
): Promise<void> {
  const { session } = interaction;
  if (session?.accountId === undefined || session.accountId === user.id) return;
  await (await provider.Session.findByUid(session.uid))?.destroy();
  delete interaction.session;
  await interaction.persist();
}

function createProvider(open: OpenRealm, options: LoginProviderOptions): Provider {
  const cookiePath = `/realms/${open.realm.name}/`;
  const provider = new Provider(open.issuer, {
    ...clientsAndKeys(open),
    ...accounts(open, options),
    ...tokens(open, options),
    ...pages(open),
    adapter: () => new SessionStore(),
    // The cookies have a separate path for each realm: the realms have the same host, but must not share a login.
    cookies: {
      names: {
        session: 'LOCALNET_SSO',
        interaction: 'LOCALNET_SIGN_IN',
        resume: 'LOCALNET_RESUME',
      },
      long: { httpOnly: true, sameSite: 'lax', path: cookiePath },
      short: { httpOnly: true, sameSite: 'lax' },
    },
  });
  allowPatterns(provider, open);
  provider.use(keepRefreshedSession);
  provider.use(finishHintedLogout(cookiePath));
  provider.use(tellGrantedScopes(open));
  provider.use(protectPages);
  provider.on('server_error', (_ctx, error) => options.onBug(error));
  // Reports errors that the library's framework catches. Without a listener, they would be written to standard error as
  // plain text.
  const framework: EventEmitter = provider;
  framework.on('error', options.onBug);
  return provider;
}

function clientsAndKeys(open: OpenRealm): Configuration {
  const path = openIdConnectPath(open.realm.name);
  return {
    clients: open.realm.clients
      .filter(({ redirectUris }) => redirectUris !== undefined)
      .map(({ clientId, redirectUris = [] }) => ({
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        // The library requires complete URIs here. `allowPatterns` decides which URIs are allowed.
        redirect_uris: redirectUris.map((pattern) => `${pattern.slice(0, -2)}/`),
      })),
    jwks: { keys: [open.signingKey.privateJwk] },
    responseTypes: ['code'],
    scopes: [...open.scopes],
    clientAuthMethods: ['none'],
    allowOmittingSingleRegisteredRedirectUri: false,
    // The reference application sends no challenge. If a client sends one, it is checked.
    pkce: { required: () => false },
    routes: {
      authorization: `${path}/auth`,
      token: `${path}/token`,
      end_session: `${path}/logout`,
    },
    // Any origin may call, as with the reference application's server: see `allowAnyOrigin`.
    clientBasedCORS: () => true,
  };
}

function accounts(open: OpenRealm, { partyIdOf }: LoginProviderOptions): Configuration {
  const claims = ['name', 'preferred_username', 'roles', 'party_id', 'sid'];
  return {
    // The reference application's clients get the profile claims by default, whatever scopes they request.
    claims: { openid: ['sub', ...claims] },
    conformIdTokenClaims: false,
    findAccount: (ctx, id) => {
      const user = open.users.get(id);
      if (user === undefined) return undefined;
      const addsPartyId = clientOf(open, ctx.oidc.client?.clientId).addsPartyId === true;
      const partyId = addsPartyId ? partyOf(user, partyIdOf) : undefined;
      const { AuthorizationCode: code, RefreshToken: refresh } = ctx.oidc.entities;
      const login = code?.sessionUid ?? refresh?.sessionUid;
      return {
        accountId: user.id,
        claims: () => ({
          ...userClaims(user),
          ...(partyId === undefined ? {} : { party_id: partyId }),
          ...(login === undefined ? {} : { sid: login }),
        }),
      };
    },
    loadExistingGrant: (ctx) => grantEverything(open, ctx),
  };
}

/**
 * Grants all requested scopes without asking the user for consent: a client of a realm gets every scope that it may
 * request.
 */
async function grantEverything({ scopes }: OpenRealm, { oidc }: KoaContextWithOIDC) {
  const { provider, session, client, account } = oidc;
  if (session === undefined || client === undefined || account === undefined) return undefined;
  const known = session.grantIdFor(client.clientId);
  const existing = known === undefined ? undefined : await provider.Grant.find(known);
  if (existing !== undefined) return existing;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
  grant.addOIDCScope(scopes.join(' '));
  grant.addResourceScope(LOCALNET_AUDIENCE, scopes.join(' '));
  await grant.save();
  return grant;
}

function tokens(open: OpenRealm, { partyIdOf }: LoginProviderOptions): Configuration {
  return {
    ttl: {
      AccessToken: ACCESS_TOKEN_LIFE_S,
      IdToken: ACCESS_TOKEN_LIFE_S,
      AuthorizationCode: CODE_LIFE_S,
      Interaction: SIGN_IN_S,
      Session: SSO_IDLE_S,
      // A refresh token ends with its session. Each use of the token prolongs the session.
      RefreshToken: SSO_LIFE_S,
      Grant: SSO_LIFE_S,
    },
    expiresWithSession: () => true,
    issueRefreshToken: () => true,
    rotateRefreshToken: false,
    formats: {
      customizers: {
        jwt: (_ctx, token, parts) => {
          const { clientId, scope } = token;
          const user = 'accountId' in token ? open.users.get(token.accountId) : undefined;
          const client = clientOf(open, clientId);
          if (user === undefined) throw new TypeError('a token without a user');
          const scopes = grantedScopes(client, splitScopes(open, client, scope).allowed);
          const partyId = scopes.includes('party_id') ? partyOf(user, partyIdOf) : undefined;
          const { jti, iat, exp } = parts.payload;
          const subject = { kind: 'user', client, user } as const;
          parts.header = { typ: 'JWT' };
          parts.payload = {
            ...accessTokenClaims(open, { subject, scopes, partyId }),
            jti,
            iat,
            exp,
          };
        },
      },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // The userinfo endpoint is served by `user-info.ts` and not by this library, because it must accept the tokens of
      // all grants.
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => LOCALNET_AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== LOCALNET_AUDIENCE) throw new errors.InvalidTarget();
          return {
            scope: open.scopes.join(' '),
            audience: LOCALNET_AUDIENCE,
            accessTokenFormat: 'jwt',
            accessTokenTTL: ACCESS_TOKEN_LIFE_S,
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => answerPage(ctx, signOutPage(form)),
        postLogoutSuccessSource: (ctx) =>
          answerPage(ctx, messagePage('Signed out', 'You are signed out of this realm.')),
      },
    },
  };
}

function pages(open: OpenRealm): Configuration {
  const policy = interactionPolicy.base();
  // Clients may request a prompt for consent. The prompt is skipped, because consent is always given.
  policy.get('consent')?.checks.clear();
  // An administrator may have deleted the signed-in user.
  const isGone = ({ oidc }: KoaContextWithOIDC) =>
    oidc.session?.accountId !== undefined && oidc.account === undefined;
  const gone = new interactionPolicy.Check('user_gone', 'the user is not there any more', isGone);
  policy.get('login')?.checks.add(gone);
  return {
    interactions: { policy, url: (_ctx, { uid }) => `${signInPath(open.realm.name)}/${uid}` },
    renderError: (ctx, out) => {
      const { error, error_description: description } = out;
      answerPage(ctx, messagePage('That did not work', description ?? error));
    },
  };
}

function answerPage(ctx: KoaContextWithOIDC, html: string): void {
  ctx.set(PAGE_HEADERS);
  ctx.body = html;
}

/** Makes the library accept the realms' URI patterns. Without this, it compares complete URIs only. */
function allowPatterns({ Client }: Provider, open: OpenRealm): void {
  const isAllowed = (clientId: string, uri: string) =>
    isRegisteredUri(clientOf(open, clientId).redirectUris ?? [], uri);
  Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri) {
    return isAllowed(this.clientId, uri);
  };
  Client.prototype.postLogoutRedirectUriAllowed = function postLogoutRedirectUriAllowed(uri) {
    return isAllowed(this.clientId, uri);
  };
}
