import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import type { Answer } from './call-api.ts';
import { startWorld } from './world.ts';

/*
 * A program that runs in Node without a bundler, so that its line numbers are those of the sources. It lets licences
 * expire in a whole Tenure in its own process. The first argument is a JSON list of functions, such as
 * `["src/http/kit/caller.ts identify"]`, and the second a JSON object of settings. It prints two lists. `expires` has
 * the entries of these functions during each of several expiries, in order, including entries by other work at the same
 * time. `files` has the files of `src` in which each of several further expiries, with all its consequences, enters a
 * function, without the files that an idle Tenure also enters.
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

/**
 * Returns the offset at which the body of a function with this name begins. If there are several, returns the first.
 */
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

/** Returns the place of a function in its source; lines and columns begin at 0. */
function placeOf(file: string, name: string): { lineNumber: number; columnNumber: number } {
  const source = readFileSync(file, 'utf8');
  const start = bodyOf(parseSync(file, source).program, name);
  if (start === undefined) throw new Error(`${file} has no function ${name}`);
  const before = source.slice(0, start).split('\n');
  return { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
}

const entered: string[] = [];
Object.assign(globalThis, { enteredFunction: (step: string) => void entered.push(step) });

/** Logs each time that the program enters one of the functions, without stopping the program. */
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

const SRC = pathToFileURL(resolve('src')).href;

/** Returns the files of `src` in which functions were entered since the previous call. */
async function enteredFiles(session: Session): Promise<ReadonlySet<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const isEntered = ({
    functionName,
    ranges: [whole],
  }: (typeof result)[number]['functions'][number]) =>
    // A function without a name that begins at offset 0 is the module itself.
    (functionName !== '' || whole?.startOffset !== 0) && (whole?.count ?? 0) > 0;
  return new Set(
    result.flatMap(({ url, functions }) =>
      url.startsWith(SRC) && functions.some(isEntered) ? [`src${url.slice(SRC.length)}`] : [],
    ),
  );
}

await using world = await startWorld(
  JSON.parse(process.argv[3] ?? '{}') as Readonly<Record<string, string>>,
);
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
const newLicense = (n: number) =>
  call('provider', `/app-installs/${install.lifecycleId}:create-license?commandId=create-${n}`, {
    params: { meta },
  });
const expire = ({ licenseId }: Answer['body']) =>
  call('provider', `/licenses/${licenseId}:expire?commandId=expire-${licenseId.slice(-8)}`, {
    meta,
  });
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
/** How long to watch an idle Tenure. Work that it repeats within this time does not belong to an expiry. */
const IDLE_MS = 6_000;
await sleep(IDLE_MS);
await enteredFiles(session);
await sleep(IDLE_MS);
const idle = await enteredFiles(session);

/** If nothing except background work has run for this time, the expiry has no further consequences. */
const QUIET_MS = 500;

/**
 * Waits until nothing except background work is running. @returns the files that were entered during the wait, without
 * those that background work enters
 */
async function settle(): Promise<ReadonlySet<string>> {
  const entered = new Set<string>();
  for (let sizeBefore = -1; sizeBefore < entered.size;) {
    sizeBefore = entered.size;
    await sleep(QUIET_MS);
    for (const file of await enteredFiles(session)) if (!idle.has(file)) entered.add(file);
  }
  return entered;
}

/** The number of runs. It is large enough that rare background work does not occur in every run. */
const RUNS = 5;
let files: ReadonlySet<string> | null = null as ReadonlySet<string> | null;
for (let run = 1; run <= RUNS; run += 1) {
  const license = await newLicense(run);
  await settle();
  await expire(license);
  const now = await settle();
  files = new Set([...now].filter((file) => files?.has(file) ?? true));
}
await session.post('Profiler.stopPreciseCoverage');
const watched = await newLicense(0);
await watch(session, [...new Set(JSON.parse(process.argv[2] ?? '[]') as string[])]);
/**
 * The number of expiries that are watched. In some of them the completion arrives in an earlier batch than the update.
 */
const WATCHED = 5;
const expires: (readonly string[])[] = [];
for (let run = 1; run <= WATCHED; run += 1) {
  const license = run === 1 ? watched : await newLicense(-run);
  entered.length = 0;
  await expire(license);
  expires.push([...entered]);
}
process.stdout.write(`${JSON.stringify({ expires, files: [...(files ?? [])].toSorted() })}\n`);
session.disconnect();
