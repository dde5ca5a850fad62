import { Type } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import { PROBLEM_JSON } from './problem.ts';
import type { SharedSchemaName } from '../schemas.ts';
import { ref } from '../schemas.ts';

/** The answers that a route declares, by status. */
export type Responses = Readonly<Record<string, object>>;

const text = (description: string) => ({ schema: { type: 'string', description } });

const HEADERS = {
  etag: { ETag: { type: 'string', description: 'Its version, for If-Match' } },
  link: { Link: { type: 'string', description: 'The next page, rel="next", where there is one' } },
  total: {
    'Total-Count': {
      type: 'string',
      description: 'With `total=true`: the number of all entries; before `;more` a lower bound',
      examples: ['510'],
    },
  },
  operation: {
    Location: { type: 'string', description: 'Where to follow the operation' },
    'Preference-Applied': {
      type: 'string',
      description: 'The honoured preferences of header Prefer',
    },
  },
  replay: {
    'Idempotent-Replayed': {
      type: 'string',
      description: '`true` when the answer is that of an earlier call',
    },
  },
  named: {
    'Idempotency-Key': {
      type: 'string',
      description: 'The commandId, also where the caller gave none: a repetition sends it',
    },
  },
  retry: { 'Retry-After': { type: 'string', description: 'Seconds' } },
  limits: {
    RateLimit: {
      type: 'string',
      description: 'The remainder of the tightest limit (draft-ietf-httpapi-ratelimit-headers)',
      examples: ['"tenant";r=0;t=1'],
    },
    'RateLimit-Policy': {
      type: 'string',
      description: 'Limits that the request counts against',
      examples: ['"tenant";q=30000;w=60, "caller";q=15000;w=60'],
    },
  },
} as const;

const KNOWN = 'The caller has it: If-None-Match named it';

const json = (description: string, schema: TSchema, headers: object = {}) => ({
  description,
  headers,
  content: { 'application/json': { schema } },
});

export const one = (name: SharedSchemaName, description: string) =>
  json(description, ref(name), HEADERS.etag);

/** The answers of one resource with an entity tag for conditional reads. */
export const oneOrKnown = (name: SharedSchemaName, description: string): Responses => ({
  200: one(name, description),
  304: { description: KNOWN, headers: HEADERS.etag, type: 'null' },
});

/** A cacheable answer with an entity tag for conditional reads. */
export const immutable = (name: SharedSchemaName, description: string): Responses => {
  const headers = {
    ETag: { type: 'string', description: 'For If-None-Match' },
    'Cache-Control': { type: 'string', description: 'How long it may be kept' },
  };
  return {
    200: json(description, ref(name), headers),
    304: { description: KNOWN, headers, type: 'null' },
  };
};

export const listOf = (name: SharedSchemaName, description: string, headers: object = {}) =>
  json(description, Type.Array(ref(name)), headers);

export const pageOf = (name: SharedSchemaName, description: string) =>
  listOf(name, description, HEADERS.link);

/** A page of a list, with the total number of entries if the caller requests it. */
export const countedPageOf = (name: SharedSchemaName, description: string) =>
  listOf(name, description, { ...HEADERS.link, ...HEADERS.total });

/** A page with an optional total, and a CSV form for callers that prefer CSV. */
export function pageOrCsv(name: SharedSchemaName, description: string) {
  const { content, ...page } = countedPageOf(name, description);
  return { ...page, content: { ...content, 'text/csv': { schema: { type: 'string' } } } };
}

export const plain = (name: SharedSchemaName, description: string) => json(description, ref(name));

export const done = (name: SharedSchemaName, description: string) =>
  json(description, ref(name), HEADERS.replay);

/** A new resource that is processed asynchronously. */
export const recorded = (name: SharedSchemaName, description: string) =>
  json(description, ref(name), {
    Location: HEADERS.operation.Location,
    ...HEADERS.replay,
  });

export const doneAsText = (description: string, example: string) => ({
  description,
  headers: HEADERS.replay,
  content: {
    'text/plain': { schema: { ...text(description).schema, examples: [example] } },
    'application/json': { schema: { ...text(description).schema, examples: [example] } },
  },
});

export const doneWithoutContent = (description: string) => ({
  description,
  headers: HEADERS.replay,
  type: 'null',
});

/** Adds the header of repeated answers to the successes of a route whose answers are kept. */
export const withReplays = (responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      const { headers } = answer as { readonly headers?: object };
      const replay = status.startsWith('2') ? { headers: { ...headers, ...HEADERS.replay } } : {};
      return [status, { ...answer, ...replay }];
    }),
  );

/** The answer of a write for whose change Tenure can choose the command ID. */
export const doneAndNamed = (description: string) => ({
  ...doneWithoutContent(description),
  headers: { ...HEADERS.replay, ...HEADERS.named },
});

export const redirect = (description: string) => ({
  description,
  headers: { Location: { type: 'string', description: 'Where to go' } },
  type: 'null',
});

/** A route without a success with 2xx declares all other answers, so that no reader of the document expects one. */
export const OTHERWISE = {
  description: 'Any other answer is a problem',
  content: { [PROBLEM_JSON]: { schema: ref('ErrorResponse') } },
};

const PROBLEM_WORDS = {
  400: 'The request is not valid; `field` names the place',
  401: 'No session and no token, or a token that is not accepted',
  403: 'The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong',
  404: 'Not known, or not the caller’s',
  406: 'Header Accept leaves out the media type of the answer',
  409: 'The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken',
  412: '`version` is the current one, `askedVersions` and `ifMatch` are what was sent',
  413: 'The body is too large',
  415: 'The body’s content type is not supported',
  422: 'The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much',
  428: 'The action cannot be undone: it needs the token and the count of a preview, and a reason',
  429: 'More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota',
  503: 'Nothing was recorded: the database or the authorization server cannot be reached',
} as const;

export type ProblemStatus = keyof typeof PROBLEM_WORDS;

/** Problem answers of a route. */
export const problems = (...statuses: readonly ProblemStatus[]): Responses =>
  Object.fromEntries(
    // Every caller is subject to limits, and may lack the permission of the route.
    [...statuses, ...(statuses.includes(401) ? ([403, 429] as const) : [])].map((status) => [
      status,
      {
        description: PROBLEM_WORDS[status],
        ...(status === 503 ? { headers: HEADERS.retry } : {}),
        ...(status === 429 ? { headers: { ...HEADERS.retry, ...HEADERS.limits } } : {}),
        content: { [PROBLEM_JSON]: { schema: ref('ErrorResponse') } },
      },
    ]),
  );

/** The answers that every write has besides its success. */
export const writeResponses = (...more: readonly ProblemStatus[]): Responses => ({
  202: json('Recorded, and on its way', ref('Operation'), HEADERS.operation),
  ...problems(400, 401, 409, 413, 415, 422, 503, ...more),
});
