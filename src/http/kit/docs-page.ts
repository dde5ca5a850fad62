import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefixOf } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/*
 * The API reference as a page. All its content comes from this server: the script is in an npm package, and the content
 * security policy blocks every other host.
 */

const zip = promisify(gzip);

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gu;

/** Returns a policy that allows only these inline scripts. It cannot list the styles, which the script generates. */
function policyFor(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );
  return [
    `default-src 'self'`,
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self' data:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The page and its script, ready to send. */
interface Page {
  readonly html: string;
  readonly policy: string;
  readonly script: Buffer;
  readonly zipped: Buffer;
}

/** Builds the page for the first visitor, so that a server without visitors does not hold several megabytes. */
async function makePage(documentUrl: string): Promise<Page> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  await using page = Fastify({ logger: false });
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: documentUrl,
      pageTitle: 'Tenure API',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      // These tools link to services of other companies.
      showDeveloperTools: 'never',
      hideClientButton: true,
      mcp: { disabled: true },
    },
  });
  const [{ payload: html }, { rawPayload: script }] = await Promise.all([
    page.inject('/docs/'),
    page.inject('/docs/js/scalar.js'),
  ]);
  return { html, policy: policyFor(html), script, zipped: await zip(script, { level: 9 }) };
}

const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/iu;

function answerScript(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  void reply.headers({ 'cache-control': 'public, max-age=3600', vary: 'accept-encoding' });
  void reply.type('application/javascript; charset=utf-8');
  const accepted = request.headers['accept-encoding'] ?? '';
  if (!GZIP.test(accepted)) return reply.send(page.script);
  return reply.header('content-encoding', 'gzip').send(page.zipped);
}

/** Serves `/docs/`, which works without access to other hosts and without a token. */
export function registerDocsPage(app: HttpApp): void {
  let making: Promise<Page> | null = null;
  const page = (): Promise<Page> => (making ??= makePage('../openapi.json'));
  const schema = { hide: true };
  app.get('/docs', { schema }, async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(`${prefixOf(request)}/docs/`, 308),
  );
  app.get('/docs/', { schema }, async (_request: FastifyRequest, reply: FastifyReply) => {
    const { html, policy } = await page();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(html);
  });
  app.get('/docs/js/scalar.js', { schema }, async (request: FastifyRequest, reply: FastifyReply) =>
    answerScript(request, reply, await page()),
  );
}
