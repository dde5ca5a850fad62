import { Type } from '@fastify/type-provider-typebox';
import { commentsOn, allComments, commentBody, commentKeyOf } from './comments.ts';
import type { ContractView } from '../../../app/ports/views.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { contractRoute } from '../../kit/address.ts';
import { CommentBody, readCommentBody } from '../../kit/bodies.ts';
import { readCommentCursor, writeCommentCursor } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readPaging } from '../../kit/list-query.ts';
import { answerArray, linkNext } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { doneAndNamed, pageOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { ContractParams, PagingQuery } from '../../schemas.ts';
import { findVisible } from './lifecycle-reads.ts';
import { registerStep } from './writes.ts';
import { parametersOf, readFilter, sortOf } from '../../kit/filter-query.ts';

const { path } = LICENSES;
const URL = contractRoute(path, '/comments');

/** The list has one order. Its parameter documents the order, and refuses all others. */
const ORDER = { sort: sortOf('createdAt') };

const commentBodies = async (comments: readonly ContractView[]) => comments.map(commentBody);

function registerList(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', URL, {
    operationId: 'listLicenseComments',
    summary:
      'List the comments about a licence by its user and provider; also for an ended licence',
    description:
      'A comment made through Tenure belongs to one licence, `licenseLifecycleId`. A comment by another client of the ledger names only the number, the user and the provider: it is listed at each licence with these values, with `licenseLifecycleId: null`. Without `limit` the complete array.',
    tag: path,
    params: ContractParams,
    query: Type.Object({ ...parametersOf(ORDER), ...PagingQuery.properties }),
    reply: { 200: pageOf('LicenseComment', 'Oldest first') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const { reads } = deps.store;
      const query = request.query;
      readFilter(ORDER, query, 0);
      const { limit, ...position } = readPaging(query, readCommentCursor);
      const { lifecycle } = await findVisible(deps, LICENSES, request, io);
      const asked = { ...commentsOn(lifecycle), ...position };
      if (limit === null) return answerArray(allComments(reads, asked, io), commentBodies, reply);
      const page = await reads.comments({ ...asked, limit }, io);
      const last = page.at(-1);
      if (page.length === limit && last !== undefined) {
        const after = commentKeyOf(last);
        const more = await reads.comments({ ...asked, after, limit: 1 }, io);
        if (more.length > 0) linkNext(request, reply, writeCommentCursor(after));
      }
      return reply.send(page.map(commentBody));
    },
  });
}

/** Registers the routes for both parties' comments on a licence. */
export function registerLicenseComments(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerStep(app, deps, {
    url: URL,
    operation: 'comment-license',
    operationId: 'addLicenseComment',
    summary: 'Comment on a licence, as its user or provider',
    tag: path,
    body: CommentBody,
    bodyBytesMax: HTTP_LIMITS.httpBodyBytesMax,
    needsBody: true,
    read: readCommentBody,
    namesChanges: true,
    success: { 201: doneAndNamed('The comment is in the list') },
    problems: [],
    produces: null,
  });
}
