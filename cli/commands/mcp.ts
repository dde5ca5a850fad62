import { createInterface } from 'node:readline';
import { createClient } from '../../client/client.ts';
import { apiAt } from '../api/client.ts';
import { connect } from '../api/connection.ts';
import type { DemoCaller } from '../demo-callers.ts';
import type { ApiDocument } from '../mcp/document.ts';
import { createMcpServer } from '../mcp/server.ts';

export interface McpFlags {
  readonly as?: DemoCaller;
  readonly allowActs?: boolean;
}

/**
 * Serves the API to a client of the Model Context Protocol on standard input and output, until the input ends.
 *
 * @throws CommandError if the API does not answer
 */
export async function mcp({ as, allowActs = false }: McpFlags): Promise<void> {
  const connection = await connect(as);
  const api = apiAt(connection);
  const json = async (path: string): Promise<unknown> =>
    JSON.parse((await api.call({ method: 'GET', path })).text);
  const document = (await json('/openapi.json')) as ApiDocument;
  const { permissions } = (await json('/user')) as { readonly permissions: readonly string[] };
  const client = createClient({
    url: connection.url,
    // A token ends before a conversation does, so it is looked up for each call.
    token: async () => (await connect(as)).token,
    fetch: (address, init) => fetch(address, { ...init, redirect: 'error' }),
  });
  const answer = createMcpServer({ client, document, permissions, allowActs });
  const say = async (line: string): Promise<void> => {
    const said = await answer(line);
    if (said !== null) process.stdout.write(`${said}\n`);
  };
  // Calls that are still running when the input ends are answered before the process ends.
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') void say(line);
  }
}
