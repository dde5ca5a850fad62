import { randomUUID } from 'node:crypto';
import type { Json, JsonRecord } from '../../src/domain/json.ts';
import type { DemoCaller } from '../demo-callers.ts';
import { CommandError, EXIT } from '../exit.ts';
import { harmless } from '../output.ts';
import { progressLine } from '../progress.ts';
import type { Answer, Api, Call } from './client.ts';
import { apiAt } from './client.ts';
import { connect } from './connection.ts';
import type { ApiCommand, Column } from './description.ts';
import { nameOf } from './names.ts';
import type { Screen } from './render.ts';
import { asJson, readExactly, render } from './render.ts';

/** Options as commander has parsed them, including those of all commands of the API. */
export interface Flags {
  readonly [name: string]: unknown;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly as?: DemoCaller;
  /** The number of rows of a list; `Infinity` with `--all`. */
  readonly limit?: number;
  readonly all?: boolean;
}

const ROWS = 50;

/** Describes standard output, which may be a terminal or a file. */
export function screenOf(stream: NodeJS.WriteStream): Screen {
  const told = Number(process.env['COLUMNS']);
  const width = stream.columns ?? (Number.isInteger(told) && told > 0 ? told : Infinity);
  return { width, isColoured: stream.isTTY && stream.hasColors(), nowMs: Date.now() };
}

export const apiOf = async (flags: Flags): Promise<Api> => apiAt(await connect(flags.as));

const AGE = /^(\d{1,6})([smhd])$/u;

/** Converts `90s`, `15m`, `2h` and `3d` to the API's notation. Returns any other text unchanged. */
export function isoAge(text: string): string {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count === undefined || unit === undefined) return text;
  return unit === 'd' ? `P${count}D` : `PT${count}${unit.toUpperCase()}`;
}

/** Returns the value of an option as a number. @throws CommandError if it is not a number */
function numberOf(name: string, value: Json): number {
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw new CommandError(EXIT.usage, `${name} must be a number`);
}

/** Returns pairs `a=b` as members of an object. @throws CommandError */
function pairsOf(name: string, value: Json): Readonly<Record<string, string>> {
  const pairs = (Array.isArray(value) ? value : [value]).map((pair) =>
    typeof pair === 'string' ? /^([^=]+)=(.*)$/su.exec(pair) : null,
  );
  if (pairs.includes(null)) {
    throw new CommandError(EXIT.usage, `${name} must be written name=value`);
  }
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

/**
 * Returns pairs as an object in which numbers, `true` and `false` are not texts; `null` for `none`. @throws
 * CommandError
 */
function valuesOf(name: string, value: Json): JsonRecord | null {
  if (Array.isArray(value) && value.length === 1 && value[0] === 'none') return null;
  const members = Object.entries(pairsOf(name, value)).map(([member, text]) => {
    const isValue = /^(?:\d{1,9}|true|false)$/u.test(text);
    return [member, isValue ? (JSON.parse(text) as Json) : isoAge(text)] as const;
  });
  return Object.fromEntries(members);
}

/** Returns a value as a boolean. The option's choices allow only `true` and `false`. */
const booleanOf = (_name: string, value: Json): boolean => value === 'true';

const READERS = { number: numberOf, boolean: booleanOf, pairs: pairsOf, values: valuesOf } as const;

/** Returns the options that a command was given, by the API's names. */
export function givenOf(command: Pick<ApiCommand, 'options'>, flags: Flags): JsonRecord {
  const given = (command.options ?? []).flatMap(({ flags: written, isAge, as, name: known }) => {
    const flag = nameOf(written);
    const name = known ?? flag;
    const value = flags[flag] as Json | undefined;
    if (value === undefined) return [];
    if (as !== undefined) return [[name, READERS[as](name, value)] as const];
    return [[name, isAge === true && typeof value === 'string' ? isoAge(value) : value] as const];
  });
  return Object.fromEntries(given);
}

export function queryOf(given: JsonRecord): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query;
}

const ARGUMENT = /[<[]([A-Za-z]+)[>\]]/gu;

/** Returns the names of a command's arguments, in order. */
export const argumentsOf = (usage: string): readonly string[] =>
  [...usage.matchAll(ARGUMENT)].map(([, name]) => name ?? '');

const commandIdOf = ({ commandId }: Flags): string =>
  typeof commandId === 'string' ? commandId : `cli-${randomUUID()}`;

/** Returns the API call for a command line. */
export function callOf(
  command: ApiCommand,
  args: readonly (string | undefined)[],
  flags: Flags,
): Call {
  const named = argumentsOf(command.usage).map((name, n) => [name, args[n]] as const);
  const inPath = named.filter(([name]) => command.path.includes(`{${name}}`));
  const path = inPath.reduce(
    (soFar, [name, value]) =>
      value === undefined
        ? soFar.replace(`/{${name}}`, '')
        : soFar.replace(`{${name}}`, encodeURIComponent(value)),
    command.path,
  );
  const others = named.flatMap(([name, value]) =>
    inPath.some(([taken]) => taken === name) || value === undefined ? [] : [[name, value] as const],
  );
  const given = { ...command.fixed, ...Object.fromEntries(others), ...givenOf(command, flags) };
  const { method = 'GET' } = command;
  if (method === 'GET') return { method, path, query: queryOf(given) };
  if (method === 'DELETE') return { method, path };
  if (command.isOperation !== true) return { method, path, body: given };
  return { method, path, body: given, headers: { 'idempotency-key': commandIdOf(flags) } };
}

/** Writes one answer, or the pages of a list, to standard output in the requested form. */
export function tell(
  texts: readonly string[],
  flags: Flags,
  shown: { readonly columns?: readonly Column[]; readonly none?: string } = {},
): void {
  // A success without a body prints nothing.
  if (texts.length === 1 && texts[0] === '') return undefined;
  if (flags.json === true) return console.log(asJson(texts));
  const read = texts.map(readExactly);
  const body = read.length === 1 ? (read[0] ?? null) : read.flat();
  if (Array.isArray(body) && body.length === 0) return console.error(shown.none ?? 'none');
  return console.log(render(body, shown.columns, screenOf(process.stdout)));
}

export const tellAnswer = ({ text }: Answer, flags: Flags): void => tell([text], flags);

interface ActPreview {
  readonly count: number;
  readonly shows: readonly string[];
  readonly token: string;
}

/**
 * Shows the preview and returns the same call with its token.
 * @throws CommandError if the person has not confirmed the preview
 */
async function confirmed(
  api: Api,
  command: ApiCommand,
  args: readonly (string | undefined)[],
  flags: Flags,
): Promise<Call> {
  const call = callOf(command, args, flags);
  if (command.preview === undefined) return call;
  const { reason: _said, ...body } = call.body as JsonRecord;
  const { path } = callOf({ ...command, path: command.preview }, args, flags);
  const seen = await api.call({ method: 'POST', path, body });
  const { count, shows, token } = JSON.parse(seen.text) as ActPreview;
  if (flags.json !== true) for (const line of shows) console.error(harmless(line));
  const { confirm } = flags as { readonly confirm?: number };
  if (confirm !== count) {
    throw new CommandError(EXIT.refused, `nothing was done. To confirm, add --confirm ${count}`);
  }
  return { ...call, body: { ...(call.body as JsonRecord), confirmation: { token, count } } };
}

/** Makes the call for the command line, and shows the answer. @throws CommandError */
export async function runApiCommand(
  command: ApiCommand,
  args: readonly (string | undefined)[],
  flags: Flags,
): Promise<void> {
  const api = await apiOf(flags);
  const call = await confirmed(api, command, args, flags);
  const isOne = args.some(
    (given, n) =>
      given !== undefined && command.path.endsWith(`{${argumentsOf(command.usage)[n] ?? ''}}`),
  );
  if (command.isPaged !== true || isOne) {
    const ask = async (): Promise<string> => (await api.call(call)).text;
    const text =
      command.hasSecret === true
        ? await (await import('./secret.ts')).keepSecret(flags['secretFile'], ask)
        : await ask();
    return tell([text], flags, command);
  }
  if (flags.csv === true) return (await import('./csv.ts')).writeCsv(api, call, flags.limit);
  const rows = flags.all === true ? Number.MAX_SAFE_INTEGER : (flags.limit ?? ROWS);
  const shown = progressLine(flags);
  const onPage = (count: number): void => shown.tell(`${count} so far`);
  const { texts, hasMore } = await api.list(call, rows, onPage).finally(shown.clear);
  tell(texts, flags, command);
  if (hasMore) console.error(`Only the first ${rows} rows are shown: use --limit <rows> or --all`);
  return undefined;
}
