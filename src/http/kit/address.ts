import type { FastifyRequest } from 'fastify';
import { FAILURE_ACTS } from '../../app/desk/failure-list.ts';
import type { LifecycleDescription } from '../../../machines/machine-kit.ts';
import { describe } from '../../../machines/registry.ts';
import { LIFECYCLE_KINDS } from '../../domain/licensing.ts';
import type { LicensingKind } from '../../domain/licensing.ts';
import { fail } from '../../domain/problems.ts';
import { RENAMED_PATHS } from '../../domain/renamed.ts';
import { isStorable } from './json-body.ts';

/*
 * Rewrites a request's address before the request is routed.
 *
 * - The same routes are served at `/` and under `/api/`.
 * - Each action has its own path segment: `/licenses/{contractId}/expire`. The address of the reference application,
 *   `/licenses/{contractId}:expire`, is an alias, also with an encoded colon. The id is everything before the last
 *   colon. Ids stay opaque, because no id ends in a colon and the name of an action. All other colons are
 *   percent-encoded, because a router would read a colon as a parameter.
 */

export const RESOURCE_PATHS: Readonly<Record<LicensingKind, string>> = {
  'install-request': 'app-install-requests',
  install: 'app-installs',
  license: 'licenses',
  renewal: 'license-renewal-requests',
};

/** The reference application's address for completing a renewal: an action of the licence that it extends. */
export const COMPLETE_ON_LICENSE = 'complete-renewal';

const verbsOf = (kind: LicensingKind): readonly string[] => [
  ...(describe(kind) as LifecycleDescription).actions.flatMap(({ verb, path }) =>
    path === undefined ? [verb] : [],
  ),
  ...(kind === 'license' ? [COMPLETE_ON_LICENSE] : []),
];

/** Operations, as operators address them: by operation id, whichever caller made the request. */
export const OPS_OPERATIONS = 'ops/operations';

/** Open sessions of people. */
export const OPS_SESSIONS = 'ops/sessions';

/** Pauses and drains of operators. */
export const OPS_PAUSES = 'ops/pauses';
/** Webhooks of a party. The address of deliveries is `webhooks/{id}/deliveries`. */
export const WEBHOOKS = 'webhooks';
const DELIVERIES = /^(webhooks\/)[^/]+(\/deliveries)$/u;

/** Failed operations, grouped by fingerprint. */
export const OPS_FAILURES = 'ops/failures';

/** Timers of licences and renewals, by lifecycle. */
export const OPS_TIMERS = 'ops/timers';

/** The state of synchronizers, as participants report it. */
export const OPS_SYNCHRONIZERS = 'ops/synchronizers';

/** Bulk acts of operators. */
export const OPS_ACTS = 'ops/acts';

/** The raw queue, as a page. */
export const OPS_QUEUE = 'ops/queue';

/** The web application's pages and files. They are not below `/api`: a page's own links would lead out of `/api`. */
export const WEB_ROUTE = '/ui/*';

const VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...LIFECYCLE_KINDS.map((kind) => [RESOURCE_PATHS[kind], new Set(verbsOf(kind))] as const),
  [OPS_OPERATIONS, new Set(['decide', 'preview-decide', 'retry', 'cancel'])] as const,
  [OPS_PAUSES, new Set(['resume'])] as const,
  [OPS_SESSIONS, new Set(['end'])] as const,
  [OPS_FAILURES, new Set<string>(FAILURE_ACTS)] as const,
  [OPS_ACTS, new Set(['stop'])] as const,
  [OPS_TIMERS, new Set(['rearm'])] as const,
  [WEBHOOKS, new Set(['test', 'rotate-secret'])] as const,
  [`${WEBHOOKS}/*/deliveries`, new Set(['redeliver'])] as const,
]);

/** Actions on all items of a resource: `/ops/operations:preview`. */
const COLLECTION_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [OPS_OPERATIONS, new Set(['preview', 'apply'])],
  [OPS_SYNCHRONIZERS, new Set(['give-up', 'preview-give-up'])],
]);

/** Returns a predicate for addresses: whether an address is `above` itself, or a part or an action of `above`. */
export const isBelow =
  (above: string) =>
  (path: string): boolean =>
    path === above || (path.startsWith(above) && /^(?:[/:]|%3a)/iu.test(path.slice(above.length)));

/** Returns the address that is routed in place of an old one: see `domain/renamed.ts`. */
export function withNewPath(path: string): string {
  const found = RENAMED_PATHS.find(({ was }) => isBelow(was)(path));
  return found === undefined ? path : `${found.is}${path.slice(found.was.length)}`;
}

const API = '/api';
/** The origin in an absolute address, as sent to proxies (RFC 9112, 3.2.2). Only the part after the origin counts. */
const ORIGIN = /^https?:\/\/[^/?#]*/iu;

function parts(url: string): { readonly path: string; readonly rest: string } {
  const origin = url.replace(ORIGIN, '');
  const end = origin.search(/[?#]/u);
  const path = end === -1 ? origin : origin.slice(0, end);
  return { path: path === '' ? '/' : path, rest: end === -1 ? '' : origin.slice(end) };
}

const escapeColons = (text: string): string => text.replaceAll(':', '%3A');

/** The text before and after the last colon, plain or encoded. */
const AT_COLON = /^(.+)(?::|%3a)([a-z-]+)$/iu;

/** Returns `[resource, id, verb]` if the last segment of `/<resource>/<id>:<verb>` names an action, else `null`. */
function actionIn(path: string): readonly [string, string, string] | null {
  const segments = path.split('/');
  const resource = segments.slice(1, -1).join('/');
  const [, id = '', verb = ''] = AT_COLON.exec(segments.at(-1) ?? '') ?? [];
  const isAction = VERBS.get(resource.replace(DELIVERIES, '$1*$2'))?.has(verb) === true;
  return isAction ? [resource, id, verb] : null;
}

/** Returns `[resource, verb]` if the path is `/<resource>:<verb>` and names an action on all items, else `null`. */
function collectionActionIn(path: string): readonly [string, string] | null {
  const [, resource = '', verb = ''] = AT_COLON.exec(path.slice(1)) ?? [];
  return COLLECTION_VERBS.get(resource)?.has(verb) === true ? [resource, verb] : null;
}

/** Returns the address that is routed in place of the requested one. */
export function routedUrl(url: string): string {
  const { path, rest } = parts(url);
  const inner = withNewPath(path.startsWith(`${API}/`) ? path.slice(API.length) : path);
  const action = actionIn(inner) ?? collectionActionIn(inner);
  return escapeColons(action === null ? inner : `/${action.join('/')}`) + rest;
}

/** Returns the requested path without its query, because a query may contain any text. */
export const pathOf = (originalUrl: string): string => parts(originalUrl).path;

/** Returns the query as sent, with the question mark; an empty text without a query. */
export function queryOf({ originalUrl }: { readonly originalUrl: string }): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}

/** Returns `/api` if the caller used that prefix, otherwise an empty text. */
export const apiPrefixOf = (originalUrl: string): '' | '/api' =>
  parts(originalUrl).path.startsWith(`${API}/`) ? API : '';

/** Returns the route of one lifecycle or contract. The path parameter is named as in the reference application. */
export const contractRoute = (resource: string, rest = ''): string =>
  `/${resource}/:contractId${rest}`;

const ON_CONTRACTS: ReadonlySet<string> = new Set(Object.values(RESOURCE_PATHS));

/** Returns the route of an action on one item. */
export const actionRoute = (resource: string, verb: string): string =>
  ON_CONTRACTS.has(resource) ? contractRoute(resource, `/${verb}`) : `/${resource}/:id/${verb}`;

/** Returns the route of an action on all items of a resource. */
export const collectionRoute = (resource: string, verb: string): string => `/${resource}/${verb}`;

/** Returns a route in the notation of the API document, traces and metrics: `/licenses/{contractId}/expire`. */
export const namedRoute = (route: string): string => route.replaceAll(/\/:(\w+)/gu, '/{$1}');

/**
 * Returns the decoded id in the path: `{contractId}` of a lifecycle or contract, `{id}` of every other resource. The id
 * is opaque: only the store knows whether it exists.
 */
export function readId(request: FastifyRequest): string {
  const params = request.params as { readonly id?: string; readonly contractId?: string };
  const field = params.contractId === undefined ? 'id' : 'contractId';
  const id = params[field] ?? '';
  if (id === '') fail('ROUTE_NOT_FOUND', 'the path lacks an id');
  if (isStorable(id)) return id;
  return fail('REQUEST_INVALID', `the ${field} in the path holds a NUL character`, {
    extra: { field },
  });
}
