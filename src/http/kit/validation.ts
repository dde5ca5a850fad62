import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { ProblemDetails } from '../../domain/problems.ts';
import { fail, problem } from '../../domain/problems.ts';
import { closestOf } from '../../domain/closest.ts';

/** One error of the schema check, as JSON Schema validators report it. */
interface Finding {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
  readonly params: {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
  };
}

/** Converts a JSON Pointer to readable notation: `/meta/data/a~1b` is `meta.data.a/b`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

function fieldOf(finding: Finding): string {
  const at = pathOf(finding.instancePath);
  const missing =
    finding.params.requiredProperties?.[0] ?? finding.params.additionalProperties?.[0];
  if (missing === undefined) return at === '' ? 'body' : at;
  return at === '' ? missing : `${at}.${missing}`;
}

function wordsOf({ keyword, message }: Finding): string {
  if (keyword === 'required') return 'is required';
  return keyword === 'additionalProperties' ? 'is not known' : (message ?? 'is not valid');
}

/** Returns the problem for a body that violates its schema, or `null` for any other error. */
export function validationProblem(error: unknown): ProblemDetails | null {
  if (!(error instanceof Error) || !('validation' in error)) return null;
  const [finding] = error.validation as readonly Finding[];
  if (finding === undefined) return null;
  const field = fieldOf(finding);
  return problem('REQUEST_INVALID', `${field} ${wordsOf(finding)}`, { extra: { field } });
}

/**
 * Makes Fastify serialise answers as they are. Serialisers compiled from schemas drop undeclared members, and fail on a
 * missing required member after the change has already been recorded. Compiling a serialiser for every status of every
 * route would take longer than the rest of the start. Tests prove that answers match their declarations.
 */
export function writeAnswersWhole(app: FastifyInstance): void {
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
}

/** The part of a schema that is needed to decide where `null` means an absent member. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly type?: string | readonly string[];
  readonly additionalProperties?: unknown;
}

/** Whether a schema accepts `null`. A schema without a type accepts everything. */
const takesNull = ({ type }: Shape): boolean =>
  type === undefined || [type].flat().includes('null');

/**
 * Removes optional members that are `null`, because generated clients write `null` for an absent member. A member stays
 * if its schema accepts `null`.
 */
function removeNulls(value: unknown, { properties = {}, required = [] }: Shape): void {
  if (typeof value !== 'object' || value === null) return;
  const members = value as Record<string, unknown>;
  for (const [name, shape] of Object.entries(properties)) {
    if (members[name] !== null) removeNulls(members[name], shape);
    else if (!required.includes(name) && !takesNull(shape)) delete members[name];
  }
}

function refuseUnknown(query: unknown, known: readonly string[]): void {
  const unknown = Object.keys(query as object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const closest = closestOf(unknown, known);
  const words =
    known.length === 0 ? 'this address takes none' : `this address takes ${known.join(', ')}`;
  const guess = closest === null ? '' : `; did you mean ${closest}?`;
  const extra = { field: unknown, known, ...(closest === null ? {} : { didYouMean: closest }) };
  fail('REQUEST_INVALID', `query parameter ${unknown} is not known: ${words}${guess}`, { extra });
}

/**
 * Makes schemas check bodies, which are JSON, and the names of query parameters. Paths, values of query parameters and
 * headers are texts, for which separate readers have a message for each mistake; their schemas only serve as
 * documentation.
 */
export function checkBySchema(app: FastifyInstance): void {
  app.setValidatorCompiler((route) => {
    const shape = route.schema as Shape;
    if (route.httpPart === 'body') {
      const check = TypeBoxValidatorCompiler(route);
      return (value: unknown) => {
        removeNulls(value, shape);
        return check(value);
      };
    }
    const known = Object.keys(shape.properties ?? {});
    const isClosed = route.httpPart === 'querystring' && shape.additionalProperties === false;
    return (value: unknown) => {
      if (isClosed) refuseUnknown(value, known);
      return { value };
    };
  });
}

/**
 * Makes routes that are registered later refuse undeclared query parameters, except routes to which browsers are
 * redirected, because an authorization server adds its own parameters to a login (RFC 6749, 4.1.2).
 */
export function refuseUndeclaredQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const declared = (route.schema?.querystring ?? { type: 'object', properties: {} }) as Shape;
    const querystring = { additionalProperties: false, ...declared };
    route.schema = { ...route.schema, querystring };
  });
}
