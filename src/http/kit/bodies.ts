import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { invalid } from './invalid.ts';
import { optionalBoolean, optionalText } from './schema.ts';

/*
 * The bodies of writes: their schemas and their recorded forms. Unknown members are ignored, and absent metadata is
 * recorded as empty metadata, so that bodies with the same meaning are recorded identically. The API document shows a
 * schema with an `$id` under that name.
 */

function readText(value: unknown, field: string): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return invalid(field, 'must be a text, a number or a boolean');
  }
  const text = String(value);
  if (text.length <= LIMITS.metadataTextCharsMax) return text;
  return invalid(field, `must have at most ${LIMITS.metadataTextCharsMax} characters`);
}

/**
 * Reads metadata as the reference application does: every value becomes a text. Absent metadata is empty.
 *
 * @param meta shaped `{data?: {key: text | number | boolean}}`; other members are ignored
 * @param at the position of the metadata in the body, for messages
 * @throws ProblemError `REQUEST_INVALID` that names the entry
 */
export function readMetadata(
  meta: { readonly data?: Readonly<Record<string, unknown>> } | undefined,
  at: string,
): JsonRecord {
  const entries = Object.entries(meta?.data ?? {});
  if (entries.length > LIMITS.metadataEntriesMax) {
    invalid(`${at}.data`, `must have at most ${LIMITS.metadataEntriesMax} entries`);
  }
  const data = entries.map(([key, value]) => {
    if (key.length > LIMITS.metadataTextCharsMax) {
      invalid(`${at}.data`, `must have keys of at most ${LIMITS.metadataTextCharsMax} characters`);
    }
    return [key, readText(value, `${at}.data.${key}`)] as const;
  });
  return { data: Object.fromEntries(data) };
}

/** The check of metadata. It accepts all types that the reference application accepts, not only texts. */
const MetadataCheck = Type.Object(
  {
    data: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
      }),
    ),
  },
  { $id: 'Metadata' },
);

const metaBody = ($id: string) => Type.Object({ meta: Type.Optional(MetadataCheck) }, { $id });

export const AppInstallRequestReject = metaBody('AppInstallRequestReject');
export const AppInstallRequestCancel = metaBody('AppInstallRequestCancel');
export const AppInstallCancel = metaBody('AppInstallCancel');
export const LicenseExpireRequest = metaBody('LicenseExpireRequest');
/** The common part of bodies that contain only metadata. */
export type MetaBody = Static<ReturnType<typeof metaBody>>;

export const RequestInstallBody = Type.Object({
  meta: Type.Optional(MetadataCheck),
  provider: optionalText('The provider of this deployment, which is also the default'),
});
export type RequestInstallBody = Static<typeof RequestInstallBody>;

export const AppInstallRequestAccept = Type.Object(
  { installMeta: MetadataCheck, meta: Type.Optional(MetadataCheck) },
  { $id: 'AppInstallRequestAccept' },
);
export type AppInstallRequestAccept = Static<typeof AppInstallRequestAccept>;

export const PLAN_ID = Type.String({
  maxLength: 63,
  description:
    'The plan that is sold, at its newest version: see /plans. Plan, version, seats and entitlements go to the contract',
  examples: ['pro'],
});

export const AppInstallCreateLicenseRequest = Type.Object(
  { params: metaBody('LicenseParams'), planId: Type.Optional(PLAN_ID) },
  { $id: 'AppInstallCreateLicenseRequest' },
);
export type AppInstallCreateLicenseRequest = Static<typeof AppInstallCreateLicenseRequest>;

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

export const readAcceptBody = (body: AppInstallRequestAccept): JsonRecord => ({
  installMeta: readMetadata(body.installMeta, 'installMeta'),
  meta: readMetadata(body.meta, 'meta'),
});

export const readCreateLicenseBody = (body: AppInstallCreateLicenseRequest): JsonRecord => ({
  params: { meta: readMetadata(body.params.meta, 'params.meta') },
});

/** Returns the comment's text unchanged, to be recorded. Characters are UTF-16 code units. */
export function readCommentBody({ body }: CommentBody): JsonRecord {
  if (body.trim() === '') return invalid('body', 'must not be empty');
  if (body.length <= HTTP_LIMITS.commentCharsMax) return { body };
  return invalid('body', `must have at most ${HTTP_LIMITS.commentCharsMax} characters`);
}

/**
 * Returns the body of an install request as it is recorded.
 *
 * @param provider the provider of this deployment, which could not process a request to another provider
 */
export function readRequestInstallBody(body: RequestInstallBody, provider: Party): JsonRecord {
  if (body.provider !== undefined && body.provider !== provider) {
    invalid('provider', `must be ${provider}: its licences are run here`);
  }
  return { provider, meta: readMetadata(body.meta, 'meta') };
}

/** A member of answers with a secret. A repeated answer lacks the secret and has this member: see `kept-answers.ts`. */
export const SECRET_SHOWN = optionalBoolean(
  '`true` in a repeated answer: the first answer had the secret',
);
