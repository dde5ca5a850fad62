import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AuthMode } from '../../auth/participant-trust.ts';
import { PUBLIC_DEMO_SHARED_SECRET } from '../../auth/participant-trust.ts';
import { LOCALNET_AUDIENCE } from '../../auth/verify.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { timestampText } from '../../ledger/lf-values.ts';
import { pathOf } from '../../listener.ts';

export interface WalletPageOptions {
  readonly ledger: Ledger;
  /**
   * Returns the URL of the users' realm for browsers. It is a function because ports may be assigned after this object
   * is created.
   */
  readonly authority: () => string;
  /** The public client with which the page signs in. */
  readonly clientId: string;
  /**
   * The kind of tokens that the participant accepts: tokens of the realm, or tokens that the page itself signs for a
   * user name.
   */
  readonly mode: AuthMode;
  /** The scope that every token must have, if the participant is strict. Such tokens must expire too. */
  readonly strictScope?: string | undefined;
}

/** The page's files. They are served unchanged: the page has no build step. */
const ASSETS = [
  ['index.html', 'text/html; charset=utf-8'],
  ['wallet.css', 'text/css; charset=utf-8'],
  ['wallet.js', 'text/javascript; charset=utf-8'],
  ['ask-validator.js', 'text/javascript; charset=utf-8'],
  ['sign-in.js', 'text/javascript; charset=utf-8'],
  ['name-sign-in.js', 'text/javascript; charset=utf-8'],
  ['kept.js', 'text/javascript; charset=utf-8'],
  ['holdings.js', 'text/javascript; charset=utf-8'],
  ['history.js', 'text/javascript; charset=utf-8'],
  ['plain-words.js', 'text/javascript; charset=utf-8'],
  ['show.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const;

interface Asset {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
}

function readAsset(name: string, type: string): Asset {
  const bytes = readFileSync(new URL(`../../wallet-page/${name}`, import.meta.url));
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, type, etag: `"${digest}"` };
}

/**
 * Returns a content security policy that lets the page load only its own files, and call only its own server and the
 * authorization server.
 */
const contentSecurityPolicy = (authority: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(authority).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/**
 * Adds the routes of the wallet page: `/`, `/allocations`, and every other path that a browser opens, because a
 * tenant's `walletUrl` may end with a slash. The page's files and settings are under `/wallet`.
 */
export function addWalletPage(app: FastifyInstance, options: WalletPageOptions): void {
  const { ledger, authority, clientId, mode, strictScope } = options;
  const scope = strictScope === undefined ? 'openid' : `openid ${strictScope}`;
  const assets = new Map(ASSETS.map(([name, type]) => [name as string, readAsset(name, type)]));

  const send = (reply: FastifyReply, name: string, ifNoneMatch: string | undefined) => {
    const asset = assets.get(name);
    if (asset === undefined) throw new TypeError(`the wallet page has no ${name}`);
    void reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy(authority()),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      etag: asset.etag,
    });
    if (ifNoneMatch === asset.etag) return reply.code(304).send();
    return reply.type(asset.type).send(asset.bytes);
  };

  for (const [name] of ASSETS) {
    if (name === 'index.html') continue;
    app.get(`/wallet/${name}`, async (request, reply) =>
      send(reply, name, request.headers['if-none-match']),
    );
  }
  app.get('/wallet/config.json', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    return mode === 'oauth2'
      ? { mode, authority: authority(), client_id: clientId, scope }
      : {
          mode,
          secret: PUBLIC_DEMO_SHARED_SECRET,
          audience: LOCALNET_AUDIENCE,
          scope: strictScope,
        };
  });
  app.get('/wallet/ledger-time', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    const kind = ledger.isTimeStatic ? 'static' : 'wall';
    return { mode: kind, now: timestampText(ledger.nowMicros()) };
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      (request.headers.accept ?? '').includes('text/html') &&
      !/^\/+(api|registry|wallet)\//.test(path);
    if (isPage) return send(reply, 'index.html', request.headers['if-none-match']);
    return reply.code(404).send({ error: 'Not found', method: request.method, path });
  });
  for (const path of ['/', '/allocations']) {
    app.get(path, async (request, reply) =>
      send(reply, 'index.html', request.headers['if-none-match']),
    );
  }
}
