import { hash } from 'node:crypto';
import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefixOf } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/*
 * The API reference as a page. Everything on it comes from here: its script is in the package, and the content
 * security policy lets the browser ask nobody else.
 */

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gu;

/** Lets exactly these inline scripts run. Styles are made by the script, so they cannot be listed. */
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
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** Loaded with the first visitor: the script is several megabytes, which a server that nobody visits need not hold. */
async function openPage(documentUrl: string): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify({ logger: false });
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: documentUrl,
      pageTitle: 'Tenure API',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      // They lead to services of others.
      showDeveloperTools: 'never',
      hideClientButton: true,
      mcp: { disabled: true },
    },
  });
  await page.ready();
  return page;
}

async function answer(
  page: FastifyInstance,
  url: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await page.inject({ method: 'GET', url });
  const type = found.headers['content-type'] ?? 'text/html';
  void reply.code(found.statusCode).header('content-type', type);
  if (!type.startsWith('text/html')) {
    return reply.header('cache-control', 'public, max-age=3600').send(found.rawPayload);
  }
  return reply.header('content-security-policy', policyFor(found.payload)).send(found.payload);
}

/** `/docs/`, readable without network and without a token. */
export function registerDocsPage(app: HttpApp): void {
  let opening: Promise<FastifyInstance> | null = null;
  const page = (): Promise<FastifyInstance> => (opening ??= openPage('../openapi.json'));
  const schema = { hide: true };
  app.get('/docs', { schema }, async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(`${prefixOf(request)}/docs/`, 308),
  );
  app.get('/docs/', { schema }, async (_request: FastifyRequest, reply: FastifyReply) =>
    answer(await page(), '/docs/', reply),
  );
  app.get('/docs/js/scalar.js', { schema }, async (_request: FastifyRequest, reply: FastifyReply) =>
    answer(await page(), '/docs/js/scalar.js', reply),
  );
  app.addHook('onClose', async () => {
    if (opening !== null) await (await opening).close();
  });
}
