import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from '@fastify/type-provider-typebox';
import type { RenamedParameter } from '../../domain/renamed.ts';
import { DEPRECATED_AT, RENAMED_PATHS, SUNSET_AT, renamedOn } from '../../domain/renamed.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { apiPrefixOf, isBelow, pathOf, withNewPath } from './address.ts';
import { invalid } from './invalid.ts';
import type { Raw } from './list-query.ts';
import { addLink } from './listing.ts';
import { forwardedOf } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/*
 * Old names of parameters and addresses. A request with an old name gets the same answer as with the new name, plus the
 * headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
 */

const DEPRECATION = `@${Date.parse(DEPRECATED_AT) / SECOND_MS}`;
const SUNSET = new Date(SUNSET_AT).toUTCString();

function announce(request: FastifyRequest, reply: FastifyReply): void {
  // A HEAD route runs the hooks of its GET route twice.
  if (reply.hasHeader('deprecation')) return;
  void reply.header('deprecation', DEPRECATION).header('sunset', SUNSET);
  addLink(reply, `<${forwardedOf(request).prefix}/docs>; rel="deprecation"; type="text/html"`);
}

/** Returns parameters by their new names. @throws ProblemError `REQUEST_INVALID` if one is given under both names */
function withNewNames(given: Raw, renamed: readonly RenamedParameter[]): Raw {
  const members = Object.entries(given).map(([name, value]) => {
    const found = renamed.find(({ was }) => was === name);
    if (found === undefined) return [name, value] as const;
    const { is, values = {} } = found;
    if (given[is] !== undefined)
      return invalid(name, `is the old name of ${is}, which is given as well`);
    return [is, values[String(value)] ?? value] as const;
  });
  return Object.fromEntries(members);
}

const hasAny = (given: Raw, renamed: readonly RenamedParameter[]): boolean =>
  renamed.some(({ was }) => given[was] !== undefined);

/** Replaces old names in the query or else in the body's member `filter`. Returns whether it found old names. */
function replaceOldNames(request: FastifyRequest, renamed: readonly RenamedParameter[]): boolean {
  const body = (request.body ?? {}) as { filter?: unknown };
  const query = request.query as Raw;
  if (hasAny(query, renamed)) {
    request.query = withNewNames(query, renamed);
    return true;
  }
  if (typeof body.filter !== 'object' || body.filter === null) return false;
  const filter = body.filter as Raw;
  if (!hasAny(filter, renamed)) return false;
  body.filter = withNewNames(filter, renamed);
  return true;
}

interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
}

/** Adds the old names to the schema of a query or a filter. */
function withOldNames<Of extends Shape>(schema: Of, renamed: readonly RenamedParameter[]): Of {
  const { properties = {} } = schema;
  const old = renamed.map(({ was, is, values }) => {
    const { default: _default, ...now } = properties[is] as TSchema & {
      readonly default?: unknown;
    };
    const words = values === undefined ? {} : { enum: Object.keys(values) };
    return [was, { ...now, ...words, deprecated: true, description: `Use \`${is}\`` }] as const;
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(old) } };
}

/** Declares old names in the member `filter` of the route's body or, without one, in its query. */
function declareOldNames(route: RouteOptions, renamed: readonly RenamedParameter[]): void {
  const { querystring = {}, body = {} } = route.schema as { querystring?: Shape; body?: Shape };
  const filter = body.properties?.['filter'];
  const changed =
    filter === undefined
      ? { querystring: withOldNames(querystring, renamed) }
      : {
          body: {
            ...body,
            properties: { ...body.properties, filter: withOldNames(filter, renamed) },
          },
        };
  route.schema = { ...route.schema, ...changed };
}

function isOldPath({ originalUrl }: FastifyRequest): boolean {
  const path = pathOf(originalUrl).slice(apiPrefixOf(originalUrl).length);
  return withNewPath(path) !== path;
}

/** Makes routes that are registered later accept the old names of their parameters and addresses. */
export function acceptOldNames(app: HttpApp): void {
  app.addHook('onRoute', (route) => {
    const renamed = renamedOn(route.url);
    const isMoved = RENAMED_PATHS.some(({ is }) => isBelow(is)(route.url));
    if (renamed.length === 0 && !isMoved) return;
    if (renamed.length > 0) declareOldNames(route, renamed);
    const hook = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const hasOldName = replaceOldNames(request, renamed);
      if (hasOldName || isOldPath(request)) announce(request, reply);
    };
    route.preValidation = [hook, ...[route.preValidation ?? []].flat()];
  });
}

type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Adds the old addresses to the paths of the API document, with their old operation IDs. */
export function withOldPaths<Operation extends { readonly operationId: string }>(
  paths: Paths<Operation>,
): Paths<Operation> {
  const old = RENAMED_PATHS.flatMap(({ was, is, names: [nameWas, nameIs] }) =>
    Object.entries(paths)
      .filter(([path]) => isBelow(is)(path))
      .map(([path, operations]) => {
        const described = Object.entries(operations).map(([method, operation]) => {
          const operationId = operation.operationId.replace(nameIs, nameWas);
          const description = `Use \`${path}\``;
          return [method, { ...operation, operationId, deprecated: true, description }] as const;
        });
        return [`${was}${path.slice(is.length)}`, Object.fromEntries(described)] as const;
      }),
  );
  return { ...paths, ...Object.fromEntries(old) };
}
