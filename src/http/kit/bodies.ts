import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import { invalid } from './invalid.ts';
import { readMetadata } from './metadata.ts';

/*
 * The bodies of writes: their schemas, and what is recorded of them. Unknown members do not count, and absent
 * metadata is empty metadata, so that bodies which mean the same are recorded the same.
 */

const Metadata = Type.Object(
  {
    data: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description:
          `At most ${LIMITS.metadataEntriesMax} entries of at most ${LIMITS.metadataTextCharsMax} ` +
          'characters. Numbers and booleans are recorded as text.',
        examples: [{ note: 'first purchase' }],
      }),
    ),
  },
  { description: 'Metadata that goes to the ledger' },
);

export const MetaBody = Type.Object({ meta: Type.Optional(Metadata) });
export type MetaBody = Static<typeof MetaBody>;

export const RequestInstallBody = Type.Object({
  meta: Type.Optional(Metadata),
  provider: Type.Optional(
    Type.String({ description: 'The provider of this deployment, which is also the default' }),
  ),
});
export type RequestInstallBody = Static<typeof RequestInstallBody>;

export const AcceptBody = Type.Object({
  installMeta: Metadata,
  meta: Type.Optional(Metadata),
});
export type AcceptBody = Static<typeof AcceptBody>;

export const CreateLicenseBody = Type.Object({
  params: Type.Object({ meta: Type.Optional(Metadata) }),
});
export type CreateLicenseBody = Static<typeof CreateLicenseBody>;

export const CommentBody = Type.Object({
  body: Type.String({
    description: `At most ${HTTP_LIMITS.commentCharsMax} characters, not only white space`,
    examples: ['Extended by phone on Monday.'],
  }),
});
export type CommentBody = Static<typeof CommentBody>;

export const readMetaBody = (body: MetaBody): JsonRecord => ({
  meta: readMetadata(body.meta, 'meta'),
});

export const readAcceptBody = (body: AcceptBody): JsonRecord => ({
  installMeta: readMetadata(body.installMeta, 'installMeta'),
  meta: readMetadata(body.meta, 'meta'),
});

export const readCreateLicenseBody = (body: CreateLicenseBody): JsonRecord => ({
  params: { meta: readMetadata(body.params.meta, 'params.meta') },
});

/** The text is recorded as it is written. Characters are UTF-16 code units. */
export function readCommentBody({ body }: CommentBody): JsonRecord {
  if (body.trim() === '') return invalid('body', 'must not be empty');
  if (body.length <= HTTP_LIMITS.commentCharsMax) return { body };
  return invalid('body', `must have at most ${HTTP_LIMITS.commentCharsMax} characters`);
}

/** @param provider whose licences this deployment runs: it could not follow a request to another */
export function readRequestInstallBody(body: RequestInstallBody, provider: Party): JsonRecord {
  if (body.provider !== undefined && body.provider !== provider) {
    invalid('provider', `must be ${provider}: its licences are run here`);
  }
  return { provider, meta: readMetadata(body.meta, 'meta') };
}
