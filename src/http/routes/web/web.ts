import { relative } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../domain/problems.ts';
import { WEB_ROUTE, apiPrefixOf, queryOf } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { FOR_NAVIGATION, namesPage } from '../../kit/accept.ts';
import { fileCounter, limitAddresses } from '../../kit/rate-limits.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { placeOf } from '../../kit/request-context.ts';
import { INDEX, hasFile, isAsset } from './build.ts';

/*
 * The web application: the files of a build, and addresses that redirect people to it.
 *
 * All files are public. They are served from disk only, so they need no database and work with a wrong clock. They do
 * not count as requests of the caller, because a page consists of dozens of files; each address has a limit for them.
 */

/**
 * The permissions of the application's pages. The lines are independent: change one when the pages need it.
 *
 * - `'self'` covers workers and the manifest, and nothing comes from another origin.
 * - No form leads to another origin, not even by a redirect, because browsers apply `form-action` to redirects too. So
 *   the application signs out by a script, see `POST /logout`, and signs in by a link.
 * - No policy of Trusted Types may be created, so no text becomes markup or the address of a script. React and Vite's
 *   chunks need no such policy. A worker would: its policy must then be named here instead of `'none'`.
 */
const PAGE_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `font-src 'self'`,
  `manifest-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

const MISSING_POLICY = [
  `default-src 'none'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const FOREVER = `public, max-age=31536000, immutable`;

/** The page that is sent for every address until there is a build. */
const MISSING_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tenure</title></head>
<body>
<h1>The web application has not been built</h1>
<p>Run <code>make build-frontend</code>, then reload this page. Tenure need not be restarted.</p>
<p>The API runs: its reference is at <a href="/docs/">/docs</a>.</p>
</body>
</html>
`;

const answerMissing = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .headers({ 'content-security-policy': MISSING_POLICY, vary: 'accept' })
    .type('text/html; charset=utf-8')
    .send(MISSING_PAGE);

/** Sends a file or, for a person, the start page, whose script shows the address or reports that it is unknown. */
async function answerPath(root: string, request: FastifyRequest, reply: FastifyReply) {
  const { '*': asked } = request.params as { readonly '*': string };
  const path = asked === '' ? INDEX : asked;
  const isOurs = apiPrefixOf(request.originalUrl) === '';
  if (isOurs && (await hasFile({ root, path }))) return reply.sendFile(path);
  if (!isOurs || isAsset(path) || !namesPage(request.headers.accept)) {
    return fail('ROUTE_NOT_FOUND', `there is no ${placeOf(request).instance}`);
  }
  return (await hasFile({ root, path: INDEX })) ? reply.sendFile(INDEX) : answerMissing(reply);
}

async function registerFiles(app: HttpApp, root: string): Promise<void> {
  await app.register(staticFiles, {
    root,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
    dotfiles: 'deny',
    index: false,
    setHeaders: (reply, file) => {
      const isForever = isAsset(relative(root, file));
      void reply.headers({
        'content-security-policy': PAGE_POLICY,
        'cache-control': isForever ? FOREVER : 'no-cache',
        // The answer varies by `Accept`: a path without a file gives a page to a person and a problem to a program.
        ...(isForever ? {} : { vary: 'accept' }),
      });
    },
  });
  app.get(
    WEB_ROUTE,
    { schema: { hide: true } },
    async (request: FastifyRequest, reply: FastifyReply) => answerPath(root, request, reply),
  );
}

/** Registers redirects of addresses that people open. Programs are answered as if these routes did not exist. */
function registerWays(app: HttpApp): void {
  const redirect = (from: string, to: (request: FastifyRequest) => string): void => {
    app.get(
      from,
      { constraints: FOR_NAVIGATION, schema: { hide: true } },
      async (request: FastifyRequest, reply: FastifyReply) =>
        reply.header('vary', 'accept').redirect(to(request), 302),
    );
  };
  redirect('/', () => '/ui/');
  redirect('/ui', () => '/ui/');
  redirect('/login', (request) => `/ui/login${queryOf(request)}`);
}

/** Registers the web application. @param deps `webRoot` may be a folder that does not exist yet */
export async function registerWeb(app: HttpApp, deps: HttpDeps): Promise<void> {
  const { webRoot, log } = deps;
  limitAddresses(app, fileCounter(deps.rateLimits, deps.limitShare));
  await registerFiles(app, webRoot);
  registerWays(app);
  app.addHook('onReady', async () => {
    if (await hasFile({ root: webRoot, path: INDEX })) return;
    log.info({ folder: webRoot }, 'the web application has not been built: make build-frontend');
  });
}
