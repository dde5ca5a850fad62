import { readFile } from 'node:fs/promises';
import { text as streamText } from 'node:stream/consumers';
import type { Json, JsonRecord } from '../../src/domain/json.ts';
import { isJsonRecord } from '../../src/domain/json.ts';
import type { PolicyName } from '../../src/domain/automatic.ts';
import { POLICY_MEMBERS } from '../api/policy.ts';
import type { Flags } from '../api/run.ts';
import { apiOf, givenOf, nameOf, tellAnswer } from '../api/run.ts';
import { CommandError, EXIT } from '../exit.ts';

const usage = (message: string): never => {
  throw new CommandError(EXIT.usage, message);
};

const QUIET = /^(\d\d:\d\d)-(\d\d:\d\d)@(\S+)$/u;

function quietHoursOf(given: readonly string[]): Json {
  if (given.length === 1 && given[0] === 'none') return [];
  return given.map((text) => {
    const [, from, to, timeZone] = QUIET.exec(text) ?? [];
    if (from === undefined || to === undefined || timeZone === undefined) {
      return usage(`--quiet-hours must be such as 22:00-06:00@Europe/Zurich, not ${text}`);
    }
    return { from, to, timeZone };
  });
}

function valueOf(name: string, given: Json): Json {
  if (name === 'quietHours') return quietHoursOf(given as readonly string[]);
  if (given === 'true' || given === 'false') return given === 'true';
  if (name !== 'maxInFlight' || typeof given !== 'string') return given;
  return /^\d{1,6}$/u.test(given)
    ? Number(given)
    : usage(`--max-in-flight must be a whole number, not ${given}`);
}

/** The members that were given, as the API has them. @throws CommandError for options of the other kind */
export function membersOf(kind: PolicyName, flags: Flags): JsonRecord {
  const own = POLICY_MEMBERS[kind];
  const others = Object.values(POLICY_MEMBERS)
    .flat()
    .filter((option) => !own.includes(option));
  const stray = others.find((option) => flags[nameOf(option.flags)] !== undefined);
  if (stray !== undefined) usage(`${stray.flags.split(' ')[0]} is not of the ${kind} policy`);
  const given = givenOf({ options: own }, flags);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, valueOf(name, value)]),
  );
}

async function policyIn(file: string): Promise<JsonRecord> {
  const text = file === '-' ? await streamText(process.stdin) : await readFile(file, 'utf8');
  try {
    const read = JSON.parse(text) as Json;
    if (isJsonRecord(read)) return read;
  } catch {
    // Said below, in our own words.
  }
  return usage(`${file} holds no JSON object`);
}

/**
 * Changes what was given of a policy and leaves the rest, or replaces it by a file. A policy that somebody else has
 * changed in between is refused and not overwritten.
 */
export async function setPolicy(kind: PolicyName, flags: Flags): Promise<void> {
  const { file } = flags as { readonly file?: string };
  const members = membersOf(kind, flags);
  const isEmpty = Object.keys(members).length === 0;
  if ((file === undefined) === isEmpty) usage('say what shall change, or --file <json>');
  const whole = file === undefined ? null : await policyIn(file);
  const api = await apiOf(flags);
  const path = `/policies/${kind}`;
  const { text, headers } = await api.call({ method: 'GET', path });
  const body = whole ?? { ...(JSON.parse(text) as JsonRecord), ...members };
  const tag = headers.get('etag');
  const guarded = tag === null ? {} : { headers: { 'if-match': tag } };
  tellAnswer(await api.call({ method: 'PUT', path, body, ...guarded }), flags);
}
