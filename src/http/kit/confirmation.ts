import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';
import type { HttpDeps } from './deps.ts';
import { closedObject, component } from './schema.ts';

/* The confirmation of an irreversible act. A person sends it after the preview: see `app/desk/confirm-act.ts`. */

/** For the API document: why a preview may be repeated without an `Idempotency-Key`. */
export const PREVIEW_ONLY = 'a preview changes nothing, and each one has a token of its own';

export const TOKEN = Type.String({
  minLength: 1,
  maxLength: HTTP_LIMITS.bulkTokenCharsMax,
  description: 'The token of the preview',
});

export const COUNT = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'The count that the preview has shown',
});

/** Without a confirmation the answer is 428, and explains how to preview the act. */
export const CONFIRMATION = Type.Optional(closedObject({ token: TOKEN, count: COUNT }));

/** The answer to the preview of one act. */
export const ActPreview = component('ActPreview', {
  count: Type.Integer({ description: 'How many things the act ends or decides' }),
  shows: Type.Array(Type.String(), {
    description: 'The effects of the action, for a person to read',
  }),
  token: Type.String({ description: 'For `confirmation.token`' }),
  expiresAt: Type.String(),
});

interface PreviewedAct {
  readonly count: number;
  readonly shows: readonly string[];
  readonly token: string;
  readonly expiresInMs: number;
}

export const sendActPreview = (
  { wallClock }: Pick<HttpDeps, 'wallClock'>,
  reply: FastifyReply,
  { count, shows, token, expiresInMs }: PreviewedAct,
): FastifyReply =>
  reply.send({
    count,
    shows,
    token,
    expiresAt: new Date(wallClock.nowMs() + expiresInMs).toISOString(),
  });
