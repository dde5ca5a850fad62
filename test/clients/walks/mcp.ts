import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/* The client of the official SDK starts `tenure mcp`, reads, previews an act, and does it. */

interface Place {
  readonly command: string;
  readonly env: Record<string, string>;
  readonly installId: string;
}

const { command, env, installId } = JSON.parse(process.argv[2] ?? '{}') as Place;
const client = new Client({ name: 'walk', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args: ['mcp', '--allow-acts'], env }));

async function call(name: string, given: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [first] = content as { readonly text: string }[];
  if (isError === true) throw new Error(first?.text);
  return first?.text ?? '';
}

const { tools } = await client.listTools();
const installs = await call('listAppInstalls', {});
const asked = { contractId: installId, body: { params: {} } };
const preview = await call('createLicense', asked);
const token = /token ([\w-]+)\./u.exec(preview)?.[1];
const done = await call('createLicense', { ...asked, token });
console.log(
  JSON.stringify({
    server: client.getServerVersion()?.name,
    instructions: client.getInstructions(),
    tools: tools.map(({ name }) => name),
    installs,
    preview,
    done,
  }),
);
await client.close();
