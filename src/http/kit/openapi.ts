import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import type { Permission } from '../../domain/caller.ts';
import { sessionCookieOf } from './cookies.ts';
import { withOldPaths } from './deprecations.ts';
import { addExamples } from './openapi-examples.ts';
import type { Exemplified } from './openapi-examples.ts';
import { addSources } from './openapi-sources.ts';
import type { Sourced } from './openapi-sources.ts';
import type { HttpApp } from './request-context.ts';

const DESCRIPTION = `
Manages software licences on a Canton ledger. Every write names its change with a \`commandId\`, takes effect
at most once, and is answered once the outcome is visible to reads, or with \`202\` and an operation to follow.

The same routes are served under \`/api/\`. Failures are \`application/problem+json\`; \`docs/ERRORS.md\` lists their codes.
`.trim();

/** The parts of an OpenAPI document that are changed here. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  requestBody?: { required: boolean };
  readonly parameters?: readonly {
    readonly schema?: { readonly deprecated?: boolean };
    deprecated?: boolean;
  }[];
  'x-body-required'?: boolean;
}

/**
 * Returns the OpenAPI document of all routes. Corrects two errors of the generator, which marks every body as required,
 * although most bodies are optional, and no parameter as deprecated.
 */
function apiDocument(app: HttpApp, webhooks: object): object {
  const document = structuredClone(app.swagger()) as unknown as Described;
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody !== undefined) {
      operation.requestBody.required = operation['x-body-required'] === true;
    }
    delete operation['x-body-required'];
    for (const parameter of operation.parameters ?? []) {
      if (parameter.schema?.deprecated === true) parameter.deprecated = true;
    }
  }
  addExamples(document as unknown as Exemplified);
  addSources(document as unknown as Sourced);
  return { ...document, paths: withOldPaths(document.paths), webhooks };
}

/**
 * Serves the document without a token. It is generated and serialised once, because it is long and never changes.
 *
 * @param webhooks the document's member of that name: the requests that Tenure sends
 */
export function registerApiDocument(app: HttpApp, webhooks: object): void {
  let written: Buffer | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    written ??= Buffer.from(JSON.stringify(apiDocument(app, webhooks)));
    return reply.type('application/json; charset=utf-8').send(written);
  });
}

/** Replaces each part of a schema that has an `$id` by a reference, because a part with an `$id` is a component. */
function withNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toldByName);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, toldByName(part)]));
}

const toldByName = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && '$id' in part
    ? { $ref: `${String(part.$id)}#` }
    : withNames(part);

/** Adds schemas, each of which has an `$id`, to the document as components. */
export function addComponents(app: HttpApp, schemas: readonly object[]): void {
  for (const schema of schemas) app.addSchema(withNames(schema));
}

/** The groups of routes, in the order of the document. */
const TAGS = [
  { name: 'app-install-requests', description: 'A user asks for the app' },
  { name: 'app-installs', description: 'The app, installed for a user' },
  { name: 'licenses', description: 'Licences of an install' },
  {
    name: 'license-renewal-requests',
    description: 'Renewals: a provider requests a fee for extending a licence',
  },
  { name: 'payments', description: 'Payments of renewals, receipts and statistics' },
  {
    name: 'validation',
    description: 'Whether a program may run: keys, machines, licence files',
  },
  { name: 'contracts', description: 'Contracts and choices by the ledger’s own names' },
  { name: 'machines', description: 'The state machines of lifecycles, as charts' },
  { name: 'operations', description: 'Operations: the outcomes of requested changes' },
  { name: 'policies', description: 'Policies: automatic expiry and completion, set by a provider' },
  { name: 'events', description: 'The stream of events' },
  { name: 'webhooks', description: 'Webhooks: addresses that receive events' },
  { name: 'customers', description: 'Customers: data of a provider about its users' },
  { name: 'plans', description: 'Plans: the products of the provider' },
  { name: 'subscriptions', description: 'Licences that renew themselves' },
  { name: 'ops', description: 'The operations desk: what operators see and do' },
  {
    name: 'tenant-registrations',
    description: 'Tenants: organisations whose people and programs may call the API',
  },
  { name: 'callers', description: 'The caller, and how people sign in' },
  { name: 'login', description: 'Signing in and out with a browser' },
  { name: 'health', description: 'Checks for the supervisor of the process' },
] as const;

function whoMayCall({ security }: FastifySchema, needs: Permission | undefined): string {
  if (needs !== undefined) return `Needs the permission \`${needs}\`.`;
  const schemes = (security ?? []).flatMap((one) => Object.keys(one));
  if (schemes.length === 0) return 'Needs no token.';
  return schemes.includes('session') ? 'Needs a session.' : 'Needs a licence key.';
}

/** Adds all routes that are registered after this call to the document. */
export async function describeApi(app: HttpApp, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tenure',
        version,
        description: DESCRIPTION,
        contact: { name: 'The operator of this Tenure' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }, { url: '/api' }],
      tags: [...TAGS],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          licenseKey: {
            type: 'http',
            scheme: 'License',
            description: 'A licence key, of a program: `Authorization: License tlk_…`',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieOf(app),
            description:
              'After signing in with a browser. All methods but GET and HEAD then need the value of cookie XSRF-TOKEN in header X-XSRF-TOKEN.',
          },
        },
      },
      security: [{ bearer: [] }, { session: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...(withNames(schema) as typeof schema),
        description: [schema.description ?? '', whoMayCall(schema, route.config?.needs)]
          .join(' ')
          .trim(),
        ...(route.config?.needs === undefined ? {} : { 'x-permission': route.config.needs }),
      },
      url,
    }),
  });
}
