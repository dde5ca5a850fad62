import type { JsonRecord } from '../../src/domain/json.ts';

/* The tools that an MCP server makes of the operations of the API's document. */

type Schema = JsonRecord & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
  readonly 'x-permission'?: string;
}

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A tool as `tools/list` answers it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonRecord;
  readonly annotations: JsonRecord;
}

/** Where a confirmation has its place in a call: as a member of the body, as the body, or in the query. */
type ConfirmationPlace = 'member' | 'body' | 'query';

/** An operation of the API that is a tool. */
export interface Operation {
  readonly tool: Tool;
  readonly method: string;
  readonly path: string;
  /** Names of the arguments that are query parameters. */
  readonly query: readonly string[];
  /** Names of all headers and query parameters that the operation declares. */
  readonly declared: readonly string[];
  /** The API's own preview of an act. */
  readonly preview?: {
    readonly path: string;
    readonly members: readonly string[];
    readonly place: ConfirmationPlace;
  };
  /** The address of the object that an act changes. */
  readonly object?: string;
}

const JSON_TYPE = 'application/json';
/** Set by the server itself. */
const OWN = ['commandId', 'token', 'count'];
/** Acts whose answer contains a secret, which does not belong in the record of a conversation. */
export const SECRET_ACTS = ['createWebhook', 'rotateWebhookSecret', 'createLicenseKey'];
const PREVIEW = /\/preview(?:-[a-z-]+)?$/u;

const bodySchemaOf = (described: Described | undefined): Schema | undefined =>
  described?.requestBody?.content?.[JSON_TYPE]?.schema;

/** Returns the address of an act's preview: `/a/preview-b` for `/a/b`, or `/preview` below or beside the act. */
function previewPathOf({ paths }: ApiDocument, method: string, path: string): string | undefined {
  const [, parent = '', verb = ''] = /^(.*)\/([^/]*)$/u.exec(path) ?? [];
  const candidates = [
    `${parent}/preview-${verb}`,
    `${path}/preview-${method}`,
    `${path}/preview`,
    `${parent}/preview`,
  ];
  return candidates.find((candidate) => paths[candidate]?.['post'] !== undefined);
}

function placeOf(described: Described): ConfirmationPlace | undefined {
  const members = bodySchemaOf(described)?.properties ?? {};
  if ('confirmation' in members) return 'member';
  if ('token' in members) return 'body';
  return described.parameters?.some(({ name }) => name === 'token') === true ? 'query' : undefined;
}

/** Returns a schema without the members that the server sets itself. Removes a confirmation without further members. */
function withoutOwn({ properties = {}, ...schema }: Schema): Schema {
  const kept = Object.entries(properties).flatMap(([name, member]) => {
    if (name !== 'confirmation') return [[name, member] as const];
    const inner = Object.entries(member.properties ?? {}).filter(([own]) => !OWN.includes(own));
    if (inner.length === 0) return [];
    const required = (member.required ?? []).filter((own) => !OWN.includes(own));
    return [[name, { ...member, required, properties: Object.fromEntries(inner) }] as const];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/gu;

/** Returns a schema that contains all schemas to which it refers, as members of `$defs`. */
function closed(schema: JsonRecord, { components }: ApiDocument): JsonRecord {
  const found = new Set<string>();
  const collect = (text: string): void => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) {
      if (found.has(name)) continue;
      found.add(name);
      collect(JSON.stringify(components.schemas[name]));
    }
  };
  collect(JSON.stringify(schema));
  if (found.size === 0) return schema;
  const $defs = Object.fromEntries(
    [...found].map((name) => [name, components.schemas[name] ?? {}]),
  );
  const text = JSON.stringify({ ...schema, $defs });
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as JsonRecord;
}

function objectOf({ paths }: ApiDocument, method: string, path: string): string | undefined {
  const isReadable = (at: string): boolean =>
    paths[at]?.['get']?.responses['200']?.content?.[JSON_TYPE] !== undefined;
  if (method !== 'post' && isReadable(path)) return path;
  const parent = /^.*\{\w+\}/u.exec(path)?.[0];
  return parent !== undefined && isReadable(parent) ? parent : undefined;
}

const TOKEN_ARGUMENT = {
  type: 'string',
  description:
    'The token of the preview. Without it, the tool changes nothing and returns a preview',
};

function toolOf(document: ApiDocument, method: string, path: string, described: Described): Tool {
  const { operationId, summary, description = '', parameters = [] } = described;
  const isRead = method === 'get';
  const place = placeOf(described);
  const asked = parameters.filter(
    (one) => one.in === 'path' || (one.in === 'query' && (isRead || !OWN.includes(one.name))),
  );
  const previewPath = place === 'body' ? previewPathOf(document, method, path) : undefined;
  const bodyOf = previewPath === undefined ? described : document.paths[previewPath]?.['post'];
  const body = bodySchemaOf(bodyOf);
  const properties = {
    ...Object.fromEntries(
      asked.map(({ name, schema, description: about = '' }) => [
        name,
        { ...schema, ...(about === '' ? {} : { description: about }) },
      ]),
    ),
    ...(isRead || body === undefined ? {} : { body: withoutOwn(body) }),
    ...(isRead ? {} : { token: TOKEN_ARGUMENT }),
  };
  const required = asked.filter((one) => one.required === true).map(({ name }) => name);
  if (!isRead && bodyOf?.requestBody?.required === true) required.push('body');
  return {
    name: operationId,
    description: [`${summary}.`, description].join(' ').trim(),
    inputSchema: closed(
      { type: 'object', properties, required, additionalProperties: false },
      document,
    ),
    annotations: { readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: false },
  };
}

function operationOf(
  document: ApiDocument,
  method: string,
  path: string,
  described: Described,
): Operation {
  const { parameters = [] } = described;
  const tool = toolOf(document, method, path, described);
  const place = placeOf(described);
  const preview = place === undefined ? undefined : previewPathOf(document, method, path);
  const members = bodySchemaOf(document.paths[preview ?? '']?.['post'])?.properties ?? {};
  const object = objectOf(document, method, path);
  return {
    tool,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    declared: parameters.filter((one) => one.in !== 'path').map(({ name }) => name),
    ...(object === undefined ? {} : { object }),
    ...(place === undefined || preview === undefined
      ? {}
      : { preview: { path: preview, members: Object.keys(members), place } }),
  };
}

/** Whether an operation is a tool for a caller with these permissions. */
function isTool(
  method: string,
  path: string,
  described: Described,
  { permissions, allowActs }: Allowed,
): boolean {
  const needs = described['x-permission'];
  if (described.deprecated === true) return false;
  if (method === 'get') {
    const isJson = described.responses['200']?.content?.[JSON_TYPE] !== undefined;
    return isJson && (needs === undefined || permissions.includes(needs));
  }
  // Acts without a permission are sign-ins, and calls of licensed programs with their own keys.
  const isAllowed = allowActs && needs !== undefined && permissions.includes(needs);
  return isAllowed && !PREVIEW.test(path) && !SECRET_ACTS.includes(described.operationId);
}

interface Allowed {
  readonly permissions: readonly string[];
  readonly allowActs: boolean;
}

/** Returns the operations that are tools: all JSON reads, and acts if they are allowed. */
export const operationsOf = (document: ApiDocument, allowed: Allowed): readonly Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, described]) => isTool(method, path, described, allowed))
      .map(([method, described]) => operationOf(document, method, path, described)),
  );
