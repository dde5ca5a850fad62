import { readFile } from 'node:fs/promises';
import { text as streamText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonRecord } from '../../src/domain/json.ts';
import { isJsonRecord } from '../../src/domain/json.ts';
import type { PolicyName } from '../../src/domain/automatic.ts';
import type { Api } from '../api/client.ts';
import { POLICY_MEMBERS } from '../api/policy.ts';
import type { Flags } from '../api/run.ts';
import { nameOf } from '../api/names.ts';
import { apiOf, givenOf, tellAnswer } from '../api/run.ts';
import { CommandError, EXIT } from '../exit.ts';
import { progressLine } from '../progress.ts';

const COUNT_DOWN_MS = 1_000;

const usage = (message: string): never => {
  throw new CommandError(EXIT.usage, message);
};

const QUIET = /^(\d\d:\d\d)-(\d\d:\d\d)@(\S+)$/u;

function quietHoursOf(given: readonly string[]): Json {
  if (given.length === 1 && given[0] === 'none') return [];
  return given.map((text) => {
    const [, from, to, timeZone] = QUIET.exec(text) ?? [];
    if (from === undefined || to === undefined || timeZone === undefined) {
      return usage(`--quiet-hours must have a form such as 22:00-06:00@Europe/Zurich, not ${text}`);
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

/** Returns the given members under the API's names. @throws CommandError for an option of the other kind of policy */
export function membersOf(kind: PolicyName, flags: Flags): JsonRecord {
  const own = POLICY_MEMBERS[kind];
  const others = Object.values(POLICY_MEMBERS)
    .flat()
    .filter((option) => !own.includes(option));
  const stray = others.find((option) => flags[nameOf(option.flags)] !== undefined);
  if (stray !== undefined)
    usage(`${stray.flags.split(' ')[0]} is not an option of the ${kind} policy`);
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
    // The message below is better than the parser's.
  }
  return usage(`${file} does not contain a JSON object`);
}

interface Preview {
  readonly version: number;
  readonly of: string;
  readonly count: number;
  readonly ends: Readonly<Record<'atOnce' | 'within24Hours' | 'within30Days' | 'ever', number>> & {
    readonly neverRenewed: number;
    readonly afterChange: number;
  };
  readonly first: readonly { readonly endsAt: string }[];
  readonly isConfirmationNeeded: boolean;
  readonly token: string;
}

interface Pending {
  readonly isPending: boolean;
  readonly version?: number;
  readonly startsInSeconds?: number;
  readonly reason?: string;
}

/** Returns a sentence that says how many licences the proposed policy ends. */
function sentenceOf({ of, count, ends, first }: Preview): string {
  const [earliest] = first;
  const one = of === 'licenses' ? 'licence' : 'renewal';
  const begin = earliest === undefined ? '' : `, the first at ${earliest.endsAt}`;
  const later =
    ends.afterChange === 0
      ? ''
      : ` It can end ${ends.afterChange} more after a renewal or another change.`;
  return (
    `Ends ${count} ${count === 1 ? one : `${one}s`}${begin}: ${ends.atOnce} at once, ${ends.within24Hours} within 24 hours, ` +
    `${ends.within30Days} within 30 days; ${ends.neverRenewed} of them were never renewed.${later}`
  );
}

/**
 * Returns the confirmation of a policy that the options contain.
 *
 * @throws CommandError if the confirmation does not match the number of licences that the policy ends
 */
function confirmationOf(preview: Preview, members: JsonRecord, flags: SetFlags): JsonRecord {
  const { confirm, reason } = flags;
  const { count, token, ends } = preview;
  const refuse = (message: string): never => {
    throw new CommandError(EXIT.refused, `${message}; nothing was changed`);
  };
  if (flags.json !== true) console.error(sentenceOf(preview));
  if (confirm === undefined || reason === undefined) {
    return refuse(`to confirm, add --confirm ${count} --reason <text>`);
  }
  if (confirm !== count) return refuse(`the policy can now end ${count}, not ${confirm}`);
  const includeNeverRenewed = members['includeNeverRenewed'] === true;
  if (ends.neverRenewed > 0 && !includeNeverRenewed) {
    return refuse(
      `${ends.neverRenewed} of them were never renewed: also set --include-never-renewed to true or false`,
    );
  }
  return { token, count, reason, ...(includeNeverRenewed ? { includeNeverRenewed } : {}) };
}

export interface SetFlags extends Flags {
  readonly file?: string;
  readonly confirm?: number;
  readonly reason?: string;
}

async function pendingOf(api: Api, kind: PolicyName): Promise<Pending> {
  const path = `/policies/${kind}/pending`;
  return JSON.parse((await api.call({ method: 'GET', path })).text) as Pending;
}

/** Shows how long until a confirmed policy acts. Counts down if the output is a terminal. */
async function countDown(api: Api, kind: PolicyName, flags: Flags): Promise<void> {
  const { isPending, startsInSeconds = 0 } = await pendingOf(api, kind);
  if (!isPending || flags.json === true) return;
  const undo = `tenure policy undo ${kind} --reason <text>`;
  console.error(`The policy starts in ${Math.ceil(startsInSeconds)} s. To undo it before: ${undo}`);
  const shown = progressLine(flags);
  const endMs = Date.now() + startsInSeconds * 1_000;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return;
  while (Date.now() < endMs) {
    shown.tell(`${Math.ceil((endMs - Date.now()) / 1_000)} s until the policy starts`);
    await sleep(COUNT_DOWN_MS);
  }
  shown.clear();
}

/**
 * Changes the given values of a policy and keeps the others, or replaces the policy by a file. The command is refused
 * if another person has changed the policy in the meantime. A policy that can end existing licences needs a
 * confirmation of their number and a reason.
 */
export async function setPolicy(kind: PolicyName, flags: SetFlags): Promise<void> {
  const { file } = flags;
  const given = membersOf(kind, flags);
  const isEmpty = Object.keys(given).length === 0;
  if ((file === undefined) === isEmpty)
    usage('set at least one option to change, or give --file <json>');
  const members = file === undefined ? given : await policyIn(file);
  const api = await apiOf(flags);
  const path = `/policies/${kind}`;
  const { text } = await api.call({ method: 'GET', path });
  const current = JSON.parse(text) as JsonRecord & { readonly version: number };
  // The version is sent in the body, because a proxy may change or drop the header.
  const { version } = current;
  const body = file === undefined ? { ...current, ...members } : { version, ...members };
  const seen = await api.call({ method: 'POST', path: `${path}/preview`, body });
  const preview = JSON.parse(seen.text) as Preview;
  const confirmed = preview.isConfirmationNeeded
    ? { confirmation: confirmationOf(preview, members, flags) }
    : {};
  const sent = { ...body, ...confirmed };
  tellAnswer(await api.call({ method: 'PUT', path, body: sent }), flags);
  if (preview.isConfirmationNeeded) await countDown(api, kind, flags);
}

/** Undoes a confirmed policy that does not act yet, which restores the previous policy. */
export async function undoPolicy(
  kind: PolicyName,
  flags: Flags & { readonly reason: string },
): Promise<void> {
  const api = await apiOf(flags);
  const { version } = await pendingOf(api, kind);
  if (version === undefined) {
    throw new CommandError(EXIT.refused, `the ${kind} policy has no change that can be undone`);
  }
  const body = { version, reason: flags.reason };
  tellAnswer(await api.call({ method: 'POST', path: `/policies/${kind}/undo`, body }), flags);
}
