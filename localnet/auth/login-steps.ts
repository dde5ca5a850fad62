import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RealmClient } from './realms.ts';
import { grantedScopes, splitScopes } from './scopes.ts';
import type { OpenRealm } from './signing-keys.ts';

/* Middleware that changes the answers of the library's endpoints. */

/** The lifetime of a login after its last use, as in the reference's realms. */
export const SSO_IDLE_S = 30 * 60;

export const clientOf = (open: OpenRealm, clientId: string | undefined): RealmClient => {
  const client = open.realm.clients.find((known) => known.clientId === clientId);
  if (client === undefined) throw new TypeError(`no client ${clientId}`);
  return client;
};

type Next = () => Promise<unknown>;

/** Prolongs a login when one of its refresh tokens is used. */
export async function keepRefreshedSession(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const uid = ctx.oidc?.entities.RefreshToken?.sessionUid;
  if (ctx.status !== 200 || uid === undefined) return;
  const session = await ctx.oidc.provider.Session.findByUid(uid);
  await session?.save(SSO_IDLE_S);
}

/**
 * Returns the login to which the given ID token belongs. This is the browser's login or, if an application calls
 * without the browser, only the login that the token names.
 */
async function hintedSession({ oidc }: KoaContextWithOIDC) {
  const { session, provider } = oidc;
  const hint = oidc.entities.IdTokenHint?.payload;
  if (session === undefined || hint === undefined) return undefined;
  if (session.accountId !== undefined) {
    return session.accountId === hint['sub'] ? session : undefined;
  }
  const named = await provider.Session.findByUid(String(hint['sid']));
  return named?.accountId === hint['sub'] ? named : session;
}

/**
 * Completes a logout whose request contains the ID token of the login: the user is not asked, and is redirected at
 * once. The library would ask the user. It has already checked the ID token and the redirect URI.
 */
export const finishHintedLogout =
  (cookiePath: string) =>
  async (ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'end_session' || ctx.status !== 200) return;
    const { params = {} } = oidc;
    const session = await hintedSession(ctx);
    if (session === undefined) return;
    // The refresh tokens and codes of the login end too.
    await session.destroy();
    oidc.cookies.set(oidc.provider.cookieName('session'), null, {
      path: cookiePath,
      overwrite: true,
    });
    const { post_logout_redirect_uri: backTo, state } = params;
    const target = new URL(
      typeof backTo === 'string' ? backTo : oidc.urlFor('end_session_success'),
    );
    if (typeof backTo === 'string' && typeof state === 'string') {
      target.searchParams.set('state', state);
    }
    ctx.status = 303;
    ctx.redirect(target.href);
  };

/**
 * Returns the granted scopes in token answers. Without this, the library would return the requested scopes, but the
 * reference application's server returns those of the token.
 */
export const tellGrantedScopes =
  (open: OpenRealm) =>
  async (ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
    await next();
    if (ctx.oidc?.route !== 'token' || ctx.status !== 200) return;
    const { client, entities } = ctx.oidc;
    const known = clientOf(open, client?.clientId);
    const { allowed } = splitScopes(open, known, entities.AccessToken?.scope);
    ctx.body = {
      ...(ctx.body as object),
      scope: grantedScopes(known, allowed).join(' '),
      refresh_expires_in: SSO_IDLE_S,
    };
  };

/**
 * Sets a strict content security policy for the library's own pages, which submit a form. The library adds the hash of
 * its script.
 */
export async function protectPages(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  ctx.set('content-security-policy', "default-src 'none'; script-src 'self'; base-uri 'none'");
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('x-content-type-options', 'nosniff');
  await next();
}
