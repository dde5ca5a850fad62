import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import type { Answer } from './call-api.ts';
import { startWorld } from './world.ts';

/*
 * Run by node alone, so that lines are those of the sources: lets a licence expire on a whole Tenure in this process
 * and prints in which order functions were entered. `node path-recorder.fixture.ts '["src/http/kit/caller.ts identify",
 * …]'` prints each entry of one of these, in order, with what happens meanwhile besides.
 */

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const nameOf = (key: unknown): string => {
  if (!isNode(key)) return '';
  const { name } = key;
  if (typeof name !== 'string') return '';
  return key.type === 'PrivateIdentifier' ? `#${name.replace(/^#/u, '')}` : name;
};

const isFunction = (node: unknown): node is Node =>
  isNode(node) && /^(?:Arrow)?Function(?:Declaration|Expression|)/u.test(node.type);

/** Where the body of the function of this name begins, as an offset; the first one of several. */
function bodyOf(node: unknown, name: string): number | undefined {
  if (Array.isArray(node)) {
    for (const each of node) {
      const found = bodyOf(each, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isNode(node)) return undefined;
  const named: readonly (readonly [unknown, unknown])[] = [
    [node['id'], node.type === 'FunctionDeclaration' ? node : node['init']],
    [node['key'], node['value']],
  ];
  for (const [key, made] of named) {
    if (nameOf(key) !== name || !isFunction(made)) continue;
    const body = made['body'];
    if (isNode(body)) return body.type === 'BlockStatement' ? body.start + 1 : body.start;
  }
  return bodyOf(Object.values(node), name);
}

/** The place in the source, from 0. */
function placeOf(file: string, name: string): { lineNumber: number; columnNumber: number } {
  const source = readFileSync(file, 'utf8');
  const start = bodyOf(parseSync(file, source).program, name);
  if (start === undefined) throw new Error(`${file} has no function ${name}`);
  const before = source.slice(0, start).split('\n');
  return { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
}

const entered: string[] = [];
Object.assign(globalThis, { enteredFunction: (step: string) => void entered.push(step) });

/** Has each function say when it is entered, without stopping there. */
async function watch(session: Session, steps: readonly string[]): Promise<void> {
  const scripts = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.url, params.scriptId));
  await session.post('Debugger.enable');
  for (const step of steps) {
    const [file = '', name = ''] = step.split(' ', 2);
    const scriptId = scripts.get(pathToFileURL(resolve(file)).href);
    if (scriptId === undefined) throw new Error(`${file} is not loaded`);
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
      start: { scriptId, ...placeOf(file, name) },
    });
    const [location] = locations;
    if (location === undefined) throw new Error(`${step} has no place to look at`);
    await session.post('Debugger.setBreakpoint', {
      location,
      condition: `enteredFunction(${JSON.stringify(step)}), false`,
    });
  }
}

await using world = await startWorld();
const call = async (
  who: 'provider' | 'user',
  path: string,
  body: object,
): Promise<Answer['body']> => {
  const answer = await world.call(who, 'POST', path, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status}`);
  return answer.body;
};
const meta = { data: {} };
const provider = world.tenure.state.providerParty;
const request = await call('user', '/app-install-requests?commandId=request', { provider, meta });
const install = await call(
  'provider',
  `/app-install-requests/${request.contractId}:accept?commandId=accept`,
  { installMeta: meta, meta },
);
const license = await call(
  'provider',
  `/app-installs/${install.lifecycleId}:create-license?commandId=create`,
  { params: { meta } },
);
const session = new Session();
session.connect();
await watch(session, [...new Set(JSON.parse(process.argv[2] ?? '[]') as string[])]);
entered.length = 0;
await call('provider', `/licenses/${license.licenseId}:expire?commandId=expire`, { meta });
process.stdout.write(`${JSON.stringify(entered)}\n`);
session.disconnect();
