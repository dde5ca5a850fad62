import { once } from 'node:events';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import type { Draws } from '../../../../chaos/draws.ts';
import type { Fate } from './grpc.ts';
import { bytesFor, integerFor, textFor } from './words.ts';
import type { Words } from './words.ts';

/*
 * Calls of the JSON Ledger API. Some of them are permitted by the API's own document, some nearly so, and some not at
 * all.
 */

const DEPTH_MAX = 7;
const LIST_MAX = 3;
const CALL_MS = 60_000;
/** The time after which the caller gives up a silent stream. */
const STREAM_MS = 250;
const ELEMENTS = 5;

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface Documented {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation in the document, with the schemas to which it refers. */
export interface JsonOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly components: Readonly<Record<string, Schema>>;
}

/** Returns the operations in the API's own document. */
export async function jsonOperations(base: string): Promise<readonly JsonOperation[]> {
  const answer = await fetch(`${base}/docs/openapi`);
  const { paths, components } = parse(await answer.text()) as Document;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: Object.values(requestBody?.content ?? {})[0]?.schema,
      components: components.schemas,
    })),
  );
}

interface Making {
  readonly words: Words;
  readonly draws: Draws;
  readonly components: Readonly<Record<string, Schema>>;
  readonly depth: number;
}

const WRONG = [null, '', 'x', 0, -1, 0.5, 1e300, true, [], {}, [[]], { a: 1 }];
/** Returns a name in the spelling of protobuf fields. */
const snake = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

function numberFor({ words, draws }: Making): unknown {
  const integer = integerFor(words, draws);
  return draws.next() < 0.5 ? Number(integer) : String(integer);
}

function objectFor(schema: Schema, making: Making): Record<string, unknown> {
  const { draws, words } = making;
  const known = Object.entries(schema.properties ?? {}).filter(
    ([name]) => draws.next() < (schema.required?.includes(name) === true ? 0.93 : 0.5),
  );
  const others = Array.from({ length: schema.additionalProperties === undefined ? 0 : 2 }, () => [
    textFor('party', words, draws),
    hostileJson(schema.additionalProperties ?? {}, 'value', making),
  ]);
  const extra = draws.next() < 0.03 ? [[draws.pick(['extra', '__proto__', '']), 1]] : [];
  return Object.fromEntries([
    ...known.map(([name, of]) => [name, hostileJson(of, name, making)]),
    ...others,
    ...extra,
  ]) as Record<string, unknown>;
}

/** Returns a Daml value of any type, because the schema does not state the type. */
function anyValue(making: Making): unknown {
  const { draws, words } = making;
  const record = Object.fromEntries(
    ['provider', 'user', 'meta', 'numLicensesCreated', 'params'].map((name) => [
      name,
      draws.pick<unknown>([
        textFor(name === 'user' ? 'party' : name, words, draws),
        { values: {} },
        numberFor(making),
        null,
      ]),
    ]),
  );
  return draws.pick<unknown>([record, ...WRONG]);
}

/** Returns JSON for a schema, usually with mistakes. */
export function hostileJson(schema: Schema, name: string, making: Making): unknown {
  const { draws, words, components, depth } = making;
  if (draws.next() < 0.03) return draws.pick(WRONG);
  if (depth > DEPTH_MAX) return draws.pick(WRONG);
  const inside = { ...making, depth: depth + 1 };
  const { $ref: ref } = schema;
  if (ref !== undefined) {
    return hostileJson(components[ref.split('/').at(-1) ?? ''] ?? {}, name, making);
  }
  if (schema.oneOf !== undefined) return hostileJson(draws.pick(schema.oneOf), name, inside);
  if (schema.enum !== undefined) return draws.pick([...schema.enum, 'X']);
  if (schema.type === 'array') {
    const items = schema.items ?? {};
    return Array.from({ length: draws.between(0, LIST_MAX) }, () =>
      hostileJson(items, name, inside),
    );
  }
  if (schema.type === 'object') return objectFor(schema, inside);
  if (schema.type === 'integer' || schema.type === 'number') return numberFor(making);
  if (schema.type === 'boolean') return draws.next() < 0.5;
  if (schema.type === 'string') {
    return /blob|signature|key$|hash|transaction/iu.test(name)
      ? Buffer.from(bytesFor(words, draws)).toString('base64')
      : textFor(snake(name), words, draws);
  }
  return anyValue(making);
}

/** A parameter with which a caller limits how long the stream behind a list stays open. */
const SHORT = 'stream_idle_timeout_ms';

/** Returns the address of a call, with its path and query filled in. */
function addressOf({ path, parameters }: JsonOperation, making: Making): string {
  const { words, draws } = making;
  const said = (name: string): string => textFor(snake(name), words, draws).slice(0, 2_000);
  const place = path.replaceAll(/\{([\w-]+)\}/gu, (_, name: string) =>
    encodeURIComponent(said(name)),
  );
  const query = new URLSearchParams();
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'query')) {
    if (name === SHORT) query.append(name, draws.pick(['1', '50', '0', '-1']));
    else if (draws.next() < 0.4) {
      const value = hostileJson(schema, name, making);
      query.append(
        name,
        (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 2_000),
      );
    }
  }
  return `${place}?${query.toString()}`;
}

/**
 * For JSON of a wrong type, a participant also answers with an internal error. That error has this code in its text.
 */
const IN_WORDS = 'LEDGER_API_INTERNAL_ERROR';

/** Returns the gRPC code for HTTP statuses that mean a failure of the participant itself. */
const codeOf = (status: number, details: string): string => {
  if (status < 400) return 'OK';
  if (status === 500) return details.includes(IN_WORDS) ? '400' : 'INTERNAL';
  return status === 502 || status === 503 ? 'UNAVAILABLE' : String(status);
};

/** Makes one call over HTTP. */
export async function callJson(
  base: string,
  token: string,
  operation: JsonOperation,
  making: Omit<Making, 'components' | 'depth'>,
): Promise<Fate> {
  const whole = { ...making, components: operation.components, depth: 0 };
  const body =
    operation.body === undefined
      ? undefined
      : JSON.stringify(hostileJson(operation.body, '', whole));
  const call = `${operation.method} ${operation.path}`;
  const cut = body !== undefined && making.draws.next() < 0.02 ? body.slice(0, -1) : body;
  // `fetch` sends no body with `GET`, but one operation needs it, so another client is used.
  const answer = await request(`${base}${addressOf(operation, whole)}`, {
    method: operation.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(cut === undefined ? {} : { body: cut }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const details = (await answer.body.text()).slice(0, 400);
  return { call, code: codeOf(answer.statusCode, details), details };
}

/** Makes one request over a WebSocket. Returns the participant's last message before either side closed it. */
export async function callSocket(
  base: string,
  token: string,
  operation: JsonOperation,
  making: Omit<Making, 'components' | 'depth'>,
): Promise<Fate> {
  const whole = { ...making, components: operation.components, depth: 0 };
  const call = `WS ${operation.path}`;
  const socket = new WebSocket(`${base.replace('http', 'ws')}${operation.path}`, [
    'daml.ws.auth',
    `jwt.token.${token}`,
  ]);
  await once(socket, 'open');
  let [last, elements] = ['', 0];
  const leave = setTimeout(() => socket.close(), STREAM_MS);
  socket.on('message', (data: Buffer) => {
    last = data.toString();
    elements += 1;
    if (elements >= ELEMENTS) socket.close();
  });
  const closed = once(socket, 'close');
  const body = JSON.stringify(hostileJson(operation.body ?? {}, '', whole));
  socket.send(
    making.draws.next() < 0.05 ? Buffer.from(bytesFor(making.words, making.draws)) : body,
  );
  const [code] = (await closed) as [number];
  clearTimeout(leave);
  // Code 1006 means that the connection was lost without a close frame.
  if (code === 1006 || code === 1011) return { call, code: 'UNAVAILABLE', details: last };
  const said = (last === '' ? {} : JSON.parse(last)) as {
    readonly code?: string;
    readonly grpcCodeValue?: number;
  };
  // A redacted answer with this gRPC code stands for an error for which the participant has no code of its own.
  const isAtALoss = said.code === 'NA' && said.grpcCodeValue === 13;
  return { call, code: isAtALoss ? 'INTERNAL' : 'OK', details: last.slice(0, 400) };
}
