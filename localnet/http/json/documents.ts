import { LIST_QUERY } from './routes.ts';
import type { Operation, QueryParameter, StreamOperation, UnaryOperation } from './operation.ts';
import { SchemaNames } from './schema.ts';
import type { JsonSchema } from './schema.ts';
import { stringify } from 'yaml';

/* Documents that describe the JSON API. They are generated from the table of its operations. */

const PARAMETER_SCHEMAS: Readonly<Record<QueryParameter['kind'], JsonSchema>> = {
  text: { type: 'string' },
  int: { type: 'integer', format: 'int32' },
  long: { type: 'integer', format: 'int64' },
  flag: { type: 'boolean' },
  instant: { type: 'string', format: 'date-time' },
};

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
const plain = { 'text/plain': { schema: { type: 'string' } } };

/**
 * Returns the operation ID that a participant uses: `postV2CommandsSubmit-and-wait`, in which each part of the path
 * begins with a capital letter.
 */
const operationIdOf = (method: string, path: string): string =>
  `${method}${path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replace(/[{}]/g, ''))
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1).toLowerCase()}`)
    .join('')}`;

const parametersOf = (path: string, query: readonly QueryParameter[]) => [
  ...Array.from(path.matchAll(/\{([\w-]+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: PARAMETER_SCHEMAS[name === 'offset' ? 'long' : 'text'],
  })),
  ...query.map(({ name, kind, isMany = false, isRequired = false }) => ({
    name,
    in: 'query',
    required: isRequired,
    schema: isMany ? { type: 'array', items: PARAMETER_SCHEMAS[kind] } : PARAMETER_SCHEMAS[kind],
  })),
];

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly calls: string;
  readonly isDeprecated: boolean;
  readonly query: readonly QueryParameter[];
  readonly request: object | undefined;
  readonly answer: object;
}

const SECURITY = [{ httpAuth: [] }, { apiKeyAuth: [] }];

function documentOperation(operation: Documented, error: JsonSchema) {
  const { method, path, calls, isDeprecated, query, request, answer } = operation;
  const parameters = parametersOf(path, query);
  return {
    description: `Calls ${calls} of the Ledger API.`,
    operationId: operationIdOf(method, path),
    ...(isDeprecated ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: { content: request, required: true } }),
    responses: {
      '200': { description: '', ...answer },
      '400': { description: 'Invalid value', content: plain },
      default: { description: '', content: json(error) },
    },
    security: SECURITY,
  };
}

const FILE: JsonSchema = { type: 'string', format: 'binary' };
const file = { 'application/octet-stream': { schema: FILE } };

const ofUnary = (row: UnaryOperation, names: SchemaNames): Documented => {
  const { path, calls, isDeprecated = false, query = [], body, isFile, answer } = row;
  const request =
    isFile === true ? file : body === undefined ? undefined : json(body.schema(names));
  const content =
    answer === undefined
      ? row.method === 'GET'
        ? { content: file }
        : {}
      : { content: json(answer.schema(names)) };
  return {
    method: row.method.toLowerCase(),
    path,
    calls,
    isDeprecated,
    query,
    request,
    answer: content,
  };
};

const ofList = (row: StreamOperation, names: SchemaNames): Documented => ({
  method: 'post',
  path: row.path,
  calls: row.calls,
  isDeprecated: row.isDeprecated ?? false,
  query: LIST_QUERY,
  request: json(row.body.schema(names)),
  answer: { content: json({ type: 'array', items: row.answer.schema(names) }) },
});

/** Adds the schema that the bodies of all errors have, and returns a reference to it. */
const errorSchema = (names: SchemaNames): JsonSchema =>
  names.component('JsCantonError', () => ({
    type: 'object',
    required: ['code', 'cause', 'context', 'errorCategory'],
    properties: {
      code: { type: 'string' },
      cause: { type: 'string' },
      correlationId: { type: 'string' },
      traceId: { type: 'string' },
      context: { type: 'object', additionalProperties: { type: 'string' } },
      resources: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
      errorCategory: { type: 'integer', format: 'int32' },
      grpcCodeValue: { type: 'integer', format: 'int32' },
      retryInfo: { type: 'string' },
      definiteAnswer: { type: 'boolean' },
    },
  }));

const PROBES = {
  '/livez': {
    get: {
      description: 'Checks if the service is alive',
      operationId: 'getLivez',
      responses: { '200': { description: 'OK: service is alive' } },
    },
  },
  '/readyz': {
    get: {
      description: 'Checks if the service is ready to serve requests',
      operationId: 'getReadyz',
      responses: { '200': { description: 'OK: readiness message', content: plain } },
    },
  },
};

const httpAuth = {
  type: 'http',
  description: 'Ledger API standard JWT token',
  scheme: 'bearer',
};
const apiKeyAuth = {
  type: 'apiKey',
  description: 'Ledger API standard JWT token (websocket)',
  name: 'Sec-WebSocket-Protocol',
  in: 'header',
};

/** Returns all operations over HTTP as OpenAPI, in YAML. */
export function openApiOf(operations: readonly Operation[], version: string): string {
  const names = new SchemaNames();
  const error = errorSchema(names);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const row = operation.kind === 'unary' ? ofUnary(operation, names) : ofList(operation, names);
    (paths[row.path] ??= {})[row.method] = documentOperation(row, error);
  }
  return stringify({
    openapi: '3.0.3',
    info: { title: 'JSON Ledger API HTTP endpoints', version },
    paths: { ...paths, ...PROBES },
    components: { schemas: names.components, securitySchemes: { apiKeyAuth, httpAuth } },
  });
}

/** Returns all streams as AsyncAPI, in YAML. */
export function asyncApiOf(operations: readonly Operation[], version: string): string {
  const names = new SchemaNames();
  const error = errorSchema(names);
  const channels: Record<string, object> = {};
  for (const operation of operations) {
    if (operation.kind !== 'stream') continue;
    const { path, calls, body, answer } = operation;
    const description = `Calls ${calls} of the Ledger API.`;
    const operationId = operationIdOf('', path);
    channels[path] = {
      description,
      subscribe: {
        operationId: `on${operationId}`,
        message: { payload: { oneOf: [error, answer.schema(names)] } },
      },
      publish: {
        operationId: `send${operationId}`,
        message: { payload: body.schema(names) },
      },
      bindings: { ws: { method: 'GET' } },
    };
  }
  return stringify({
    asyncapi: '2.6.0',
    info: { title: 'JSON Ledger API WebSocket endpoints', version },
    channels,
    components: {
      schemas: names.components,
      securitySchemes: { httpAuth, httpApiKeyAuth: { ...apiKeyAuth, type: 'httpApiKey' } },
    },
  });
}
