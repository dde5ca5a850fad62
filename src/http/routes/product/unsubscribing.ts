import { hash } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { refuseOtherBodies } from '../../kit/json-body.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import type { ProblemStatus } from '../../kit/responses.ts';
import { problems } from '../../kit/responses.ts';
import { HTTP_LIMITS } from '../../limits.ts';

const PATH = '/unsubscribe/:token';
const POLICY = `default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

const sendPage = (reply: FastifyReply, title: string, content: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY)
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>
`);

const schemaOf = (operationId: string, summary: string, ...more: readonly ProblemStatus[]) => ({
  operationId,
  summary,
  tags: ['customers'],
  security: [],
  params: Type.Object({ token: Type.String({ examples: ['kvJ0mR2xT5GZq1yWc3uB8A'] }) }),
  response: {
    200: { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } },
    ...problems(429, ...more),
  },
});

/**
 * Registers the route of the links in mails to customers (RFC 8058). Mail scanners follow links, so only `POST` has an
 * effect. The token is the only credential; the content of a form is ignored.
 */
export function registerUnsubscribing(app: HttpApp, { mailing }: HttpDeps): void {
  const { formBytesMax: bodyLimit } = HTTP_LIMITS;
  app.addContentTypeParser(FORMS, { parseAs: 'buffer', bodyLimit }, async () => undefined);
  refuseOtherBodies(app, 'a form');
  app.get(
    PATH,
    { schema: schemaOf('showUnsubscribing', 'A page with a button that ends mails to an address') },
    async (_request, reply) =>
      sendPage(
        reply,
        'End these mails?',
        '<form method="post"><button>End these mails</button></form>',
      ),
  );
  app.post(
    PATH,
    {
      bodyLimit,
      config: { harmless: 'an address that was unsubscribed stays so' },
      schema: schemaOf('unsubscribe', 'End mails to the address of a link', 404, 413, 415, 503),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { token } = request.params as { readonly token: string };
      const isKnown = await mailing.unsubscribe(hash('sha256', token), readIo(reply));
      if (!isKnown) return fail('NOT_FOUND', 'no mail has this link');
      return sendPage(
        reply,
        'These mails have ended',
        '<p>Tenure sends no more of these mails to this address.</p>',
      );
    },
  );
}
