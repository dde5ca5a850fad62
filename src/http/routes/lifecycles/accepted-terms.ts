import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { hasRole } from '../../../app/engine/lanes/allowed.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail } from '../../../domain/problems.ts';
import { acceptanceText } from '../../../domain/terms-acceptance.ts';
import { actionRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { doneWithoutContent } from '../../kit/responses.ts';
import { closedObject } from '../../kit/schema.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { findVisible } from './lifecycle-reads.ts';
import { registerStep } from './writes.ts';

const { path } = LICENSES;

const AcceptTermsBody = closedObject({
  termsHash: Type.String({
    pattern: '^[0-9A-Fa-f]{64}$',
    description: 'SHA-256 of the text of the terms, as 64 hexadecimal digits',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  termsUrl: Type.Optional(
    Type.String({
      maxLength: HTTP_LIMITS.termsUrlCharsMax,
      description: 'The address of the text: http or https',
      examples: ['https://provider.example/terms/2026-11'],
    }),
  ),
  version: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: HTTP_LIMITS.nameCharsMax,
      description: 'The provider’s name for this version of the terms, in one line',
      examples: ['2026-11'],
    }),
  ),
});
type AcceptTermsBody = Static<typeof AcceptTermsBody>;

const LINE = /^\S(?:[^\p{Cc}\u2028\u2029]*\S)?$/u;

const isWebAddress = (text: string): boolean =>
  !/\s/u.test(text) && /^https?:$/u.test(URL.parse(text)?.protocol ?? '');

function readTerms({ termsHash, termsUrl, version }: AcceptTermsBody): JsonRecord {
  if (version !== undefined && !LINE.test(version)) {
    invalid('version', 'must be one line that neither begins nor ends with white space');
  }
  if (termsUrl !== undefined && !isWebAddress(termsUrl)) {
    invalid('termsUrl', 'must be an address that begins with http:// or https://');
  }
  const hash = termsHash.toLowerCase();
  return { body: acceptanceText({ hash, version: version ?? null, url: termsUrl ?? null }) };
}

/** Returns the body of the comment that accepts the terms. The provider cannot accept its own terms. */
const acceptance =
  (deps: HttpDeps) => async (request: FastifyRequest, io: Io, body: AcceptTermsBody) => {
    const { lifecycle } = await findVisible(deps, LICENSES, request, io);
    if (!hasRole(lifecycle, 'user', callerOf(request).party)) {
      fail('FORBIDDEN', 'accept-terms: only the user of the licence may do this');
    }
    return readTerms(body);
  };

/** Registers the route that accepts terms, by a comment in a fixed form that both parties find on the ledger. */
export function registerTermsAcceptance(app: HttpApp, deps: HttpDeps): void {
  registerStep(app, deps, {
    url: actionRoute(path, 'accept-terms'),
    operation: 'comment-license',
    operationId: 'acceptLicenseTerms',
    summary: 'Accept the terms of a licence, as its user',
    tag: path,
    body: AcceptTermsBody,
    bodyBytesMax: HTTP_LIMITS.httpBodyBytesMax,
    needsBody: true,
    read: readTerms,
    resolve: acceptance(deps),
    success: { 201: doneWithoutContent('Accepted; the licence shows the terms') },
    problems: [403],
    produces: null,
  });
}
