import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TenureClient } from '../../client/client.ts';
import { ProblemError } from '../../client/problem.ts';
import { fill, queryOf } from '../../client/transport.ts';
import type { Call } from '../../client/transport.ts';
import type { Json, JsonRecord } from '../../src/domain/json.ts';
import type { Operation } from './document.ts';
import type { ToolResult } from './results.ts';
import { resultOf } from './results.ts';

/* Acts of tools. The first call answers a preview and its token; the call with the token does what was previewed. */

/** How long a preview can be confirmed. The API's own previews end after a similar time. */
const PREVIEW_MS = 10 * 60_000;
const PREVIEWS_MAX = 100;
/** Seconds for which the API waits for the outcome before it answers `202`. */
const WAIT_S = 30;

interface Previewed {
  readonly name: string;
  readonly args: JsonRecord;
  /** The API's confirmation, if it has a preview of the act. */
  readonly confirmation: JsonRecord;
  /** The version of the object that the preview has shown. */
  readonly entityTag: string | null;
  /** Names the act, so that a repeated call with the same token has no second effect. */
  readonly commandId: string;
  readonly atMs: number;
}

/** Returns the part of the arguments that is the query of a call. */
export const queryIn = ({ query }: Operation, args: JsonRecord): URLSearchParams =>
  queryOf(Object.fromEntries(query.flatMap((name) => (name in args ? [[name, args[name]]] : []))));

const isAbsent = (error: unknown): boolean => error instanceof ProblemError && error.status === 404;

export class Acts {
  readonly #client: TenureClient;
  readonly #nowMs: () => number;
  readonly #previews = new Map<string, Previewed>();

  constructor(client: TenureClient, nowMs: () => number = Date.now) {
    this.#client = client;
    this.#nowMs = nowMs;
  }

  /** Previews an act, or does it if the arguments contain the token of its preview. @throws ProblemError */
  async call(operation: Operation, { token, ...args }: JsonRecord): Promise<ToolResult> {
    if (token === undefined) return this.#preview(operation, args);
    const previewed = typeof token === 'string' ? this.#previews.get(token) : undefined;
    const isOver = previewed === undefined || this.#nowMs() - previewed.atMs > PREVIEW_MS;
    if (isOver)
      return resultOf(
        'Nothing was done: the token belongs to no preview, or its preview has expired.',
        '',
        true,
      );
    if (previewed.name !== operation.tool.name || !isDeepStrictEqual(previewed.args, args)) {
      return resultOf('Nothing was done: the preview was made with other arguments.', '', true);
    }
    const response = await this.#client.send(actCall(operation, args, previewed));
    const said =
      response.status === 202
        ? `Status 202. The operation continues: getOperation with commandId ${previewed.commandId} returns its outcome.`
        : `Status ${response.status}. Done.`;
    return resultOf(said, await response.text());
  }

  async #preview(operation: Operation, args: JsonRecord): Promise<ToolResult> {
    const { tool, method, path } = operation;
    const seen = await this.#look(operation, args);
    const { token: apiToken = null, count = null } = seen.apiPreview ?? {};
    const token = randomUUID();
    this.#previews.set(token, {
      name: tool.name,
      args,
      confirmation: apiToken === null ? {} : { token: apiToken, count },
      entityTag: seen.entityTag,
      commandId: `mcp-${randomUUID()}`,
      atMs: this.#nowMs(),
    });
    const [oldest] = this.#previews.keys();
    if (this.#previews.size > PREVIEWS_MAX && oldest !== undefined) this.#previews.delete(oldest);
    const said =
      'Nothing was done yet. Show this preview to the person. To perform the action, call the tool again with the same arguments ' +
      `and token ${token}.`;
    const { apiPreview, object } = seen;
    const asked = { method, path: fill(path, args), query: queryIn(operation, args).toString() };
    const { token: _secret, ...shown } = apiPreview ?? {};
    return resultOf(
      said,
      JSON.stringify({
        request: { ...asked, body: args['body'] ?? null },
        ...(apiPreview === null ? {} : { preview: shown }),
        ...(object === null ? {} : { actsOn: object }),
      }),
    );
  }

  /** Reads what a preview shows: the API's own preview, and the object that the act changes. */
  async #look({ preview, object, method }: Operation, args: JsonRecord) {
    let apiPreview: JsonRecord | null = null;
    if (preview !== undefined) {
      const given = Object.entries((args['body'] ?? {}) as JsonRecord);
      const body = Object.fromEntries(given.filter(([name]) => preview.members.includes(name)));
      const path = fill(preview.path, args);
      apiPreview = await this.#json({ method: 'POST', path, body, repeats: 'limited' });
    }
    if (object === undefined) return { apiPreview, object: null, entityTag: null };
    try {
      const call: Call = { method: 'GET', path: fill(object, args), repeats: 'passing' };
      const response = await this.#client.send(call);
      const entityTag = response.headers.get('etag');
      return { apiPreview, object: (await response.json()) as Json, entityTag };
    } catch (error) {
      // A PUT can create its object.
      if (method === 'PUT' && isAbsent(error)) return { apiPreview, object: null, entityTag: null };
      throw error;
    }
  }

  async #json(call: Call): Promise<JsonRecord> {
    return (await (await this.#client.send(call)).json()) as JsonRecord;
  }
}

/** Returns the call of an act that was previewed. */
function actCall(operation: Operation, args: JsonRecord, previewed: Previewed): Call {
  const { method, path, declared, preview } = operation;
  const { confirmation, entityTag, commandId } = previewed;
  const query = queryIn(operation, args);
  const isKnown = (name: string): boolean => declared.includes(name);
  if (isKnown('commandId')) query.set('commandId', commandId);
  if (preview?.place === 'query')
    for (const [name, value] of queryOf(confirmation)) query.set(name, value);
  return {
    method,
    path: fill(path, args),
    query,
    body: bodyOf(operation, args, confirmation),
    headers: {
      ...(isKnown('Prefer') ? { prefer: `wait=${WAIT_S}` } : {}),
      ...(isKnown('If-Match') && entityTag !== null ? { 'if-match': entityTag } : {}),
      ...(isKnown('Idempotency-Key') ? { 'idempotency-key': commandId } : {}),
    },
    // A call that names itself has no second effect.
    repeats: isKnown('commandId') || isKnown('Idempotency-Key') ? 'passing' : 'limited',
  };
}

function bodyOf({ preview }: Operation, args: JsonRecord, confirmation: JsonRecord): unknown {
  const body = args['body'] as JsonRecord | undefined;
  if (preview?.place === 'body') return confirmation;
  if (preview?.place !== 'member' || Object.keys(confirmation).length === 0) return body;
  return { ...body, confirmation: { ...(body?.['confirmation'] as JsonRecord), ...confirmation } };
}
