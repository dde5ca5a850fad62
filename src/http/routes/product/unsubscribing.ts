import { hash } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { refuseOtherBodies } from '../../kit/json-body.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { problems } from '../../kit/responses.ts';
import { HTTP_LIMITS } from '../../limits.ts';

const PATH = '/unsubscribe/:token';
const TAG = 'customers';

const POLICY = [
  `default-src 'none'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const Params = Type.Object({
  token: Type.String({
    description: 'From the link in a mail',
    examples: ['kvJ0mR2xT5GZq1yWc3uB8A'],
  }),
});

const pageOf = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;

const ASKED = pageOf(
  'End these mails?',
  '<p>This address gets no more mails about licences.</p>\n<form method="post"><button>End these mails</button></form>',
);
const DONE = pageOf(
  'These mails have ended',
  '<p>This address gets no more mails about licences.</p>',
);

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('x-robots-tag', 'noindex')
    .send(html);

const page = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});

/** The token in a mail is the only credential, so the body of a form is read and thrown away (RFC 8058). */
function acceptForms(app: HttpApp): void {
  app.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: HTTP_LIMITS.formBytesMax },
    async () => undefined,
  );
  refuseOtherBodies(app, 'a form');
}

/** The links in mails to customers. A scanner of mails follows links, so only `POST` has an effect. */
export function registerUnsubscribing(app: HttpApp, { mailing }: HttpDeps): void {
  acceptForms(app);
  app.get(
    PATH,
    {
      schema: {
        operationId: 'showUnsubscribing',
        summary: 'A page with a button that ends the mails to an address',
        description: 'The same page for every token. It changes nothing.',
        tags: [TAG],
        security: [],
        params: Params,
        response: { 200: page('The page'), ...problems(429) },
      },
    },
    async (_request, reply) => sendPage(reply, ASKED),
  );
  app.post(
    PATH,
    {
      bodyLimit: HTTP_LIMITS.formBytesMax,
      config: { harmless: 'an address that was unsubscribed stays so' },
      schema: {
        operationId: 'unsubscribe',
        summary: 'Ends the mails to the address of a link',
        description:
          'For the button of the page, and for mail programs: RFC 8058. The body counts for nothing.',
        tags: [TAG],
        security: [],
        params: Params,
        response: {
          200: page('The address gets no more mails'),
          ...problems(404, 413, 415, 429, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { token } = request.params as { readonly token: string };
      const isKnown = await mailing.unsubscribe(hash('sha256', token), readIo(reply));
      return isKnown ? sendPage(reply, DONE) : fail('NOT_FOUND', 'no mail has this link');
    },
  );
}
