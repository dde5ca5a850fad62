import type { TenureClient } from '../../client/client.ts';
import { nextPage } from '../../client/pages.ts';
import { NoAnswerError, ProblemError } from '../../client/problem.ts';
import { fill } from '../../client/transport.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { lineOf } from '../output.ts';
import { Acts, queryIn } from './acts.ts';
import type { ApiDocument, Operation } from './document.ts';
import { operationsOf } from './document.ts';
import type { ToolResult } from './results.ts';
import { INSTRUCTIONS, resultOf } from './results.ts';

/*
 * A server of the Model Context Protocol: JSON-RPC 2.0, one message a line, on standard input and output. The official
 * SDK would bring 90 packages and 29 MB, nearly all of them for HTTP. Tests call this server with the SDK's client.
 */

/** Versions of the protocol, newest first. They do not differ in what this server uses. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Entries of a page, unless the arguments set `limit`. */
const PAGE_ROWS = 50;

const CODES = { parse: -32_700, request: -32_600, method: -32_601, parameters: -32_602 } as const;

class RpcError extends Error {
  readonly code: number;

  constructor(kind: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[kind];
  }
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: JsonRecord;
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function read(client: TenureClient, operation: Operation, args: JsonRecord) {
  const query = queryIn(operation, args);
  const isPaged = operation.query.includes('limit');
  if (isPaged && !query.has('limit')) query.set('limit', String(PAGE_ROWS));
  const path = fill(operation.path, args);
  const response = await client.send({ method: 'GET', path, query, repeats: 'passing' });
  const next = nextPage(response.headers)?.get('cursor') ?? null;
  const more = next === null ? '' : ` The list has more entries: cursor ${JSON.stringify(next)}.`;
  // The body is not parsed, so that decimals are exact.
  return resultOf(`Status ${response.status}.${more}`, await response.text());
}

function failureOf(error: unknown): ToolResult {
  if (error instanceof ProblemError) {
    const data = error.problem === null ? '' : JSON.stringify(error.problem);
    return resultOf(`Refused with status ${error.status}.`, data, true);
  }
  if (error instanceof TypeError) return resultOf(error.message, '', true);
  if (!(error instanceof NoAnswerError)) throw error;
  return resultOf(
    `${lineOf(error)}. The call may have taken effect: check before you repeat it.`,
    '',
    true,
  );
}

export interface McpServerOptions {
  readonly client: TenureClient;
  readonly document: ApiDocument;
  /** The permissions of the caller. */
  readonly permissions: readonly string[];
  readonly allowActs: boolean;
}

/** Returns a function that answers one line with one line, or with `null` if the line expects no answer. */
export function createMcpServer({
  client,
  document,
  permissions,
  allowActs,
}: McpServerOptions): (line: string) => Promise<string | null> {
  const operations = new Map(
    operationsOf(document, { permissions, allowActs }).map((one) => [one.tool.name, one]),
  );
  const acts = new Acts(client);

  const callTool = async ({ name, arguments: given = {} }: JsonRecord): Promise<ToolResult> => {
    const operation = typeof name === 'string' ? operations.get(name) : undefined;
    if (operation === undefined) throw new RpcError('parameters', 'the tool does not exist');
    if (!isRecord(given)) throw new RpcError('parameters', 'arguments must be an object');
    const known = Object.keys(operation.tool.inputSchema['properties'] as JsonRecord);
    const unknown = Object.keys(given).find((argument) => !known.includes(argument));
    if (unknown !== undefined) {
      return resultOf(`${operation.tool.name} has no argument ${unknown}.`, '', true);
    }
    try {
      return await (operation.method === 'GET'
        ? read(client, operation, given)
        : acts.call(operation, given));
    } catch (error) {
      return failureOf(error);
    }
  };

  const answer = async (method: string, params: JsonRecord): Promise<unknown> => {
    switch (method) {
      case 'initialize': {
        return {
          protocolVersion:
            VERSIONS.find((version) => version === params['protocolVersion']) ?? VERSIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: 'tenure', version: document.info.version },
          instructions: INSTRUCTIONS,
        };
      }
      case 'ping': {
        return {};
      }
      case 'tools/list': {
        return { tools: [...operations.values()].map(({ tool }) => tool) };
      }
      case 'tools/call': {
        return callTool(params);
      }
      default: {
        throw new RpcError('method', `no method ${method}`);
      }
    }
  };

  return async (line) => {
    let id: unknown = null;
    try {
      const message = parse(line);
      if (message.id === undefined) return null;
      ({ id } = message);
      if (message.params !== undefined && !isRecord(message.params)) {
        throw new RpcError('parameters', 'params must be an object');
      }
      const result = await answer(String(message.method), message.params ?? {});
      return JSON.stringify({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_603;
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: lineOf(error) } });
    }
  };
}

/** Reads a message. An answer, which this server never asks for, counts as one without a method. */
function parse(line: string): Message {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    throw new RpcError('parse', 'the line is not JSON');
  }
  if (!isRecord(message)) throw new RpcError('request', 'the line is not one request');
  if (typeof message['method'] !== 'string' && message['id'] !== undefined) {
    throw new RpcError('request', 'the request has no method');
  }
  return message;
}
