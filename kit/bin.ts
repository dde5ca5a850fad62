#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { readCommand, USAGE, UsageError } from './flags.ts';
import type { Localnet } from './api.ts';
import { startLocalnet } from './index.ts';
import type { LocalnetOptions } from './api.ts';

/* Implements the command `tenure-localnet`. */

const MISUSED = 2;
const FAILED = 1;
/** The lifetime of printed tokens: one day. */
const LIFE_S = 86_400;

const say = (text: string) => void process.stdout.write(text);

function versionOf(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function describe(localnet: Localnet, { parties = {} }: LocalnetOptions) {
  const tokens: Record<string, string> = {};
  for (const [name, participant] of Object.entries(parties)) {
    tokens[name] = await localnet.token(name, { participant, lifeSeconds: LIFE_S });
  }
  const { participants, urls, synchronizerId } = localnet;
  return { ready: true, participants, urls, parties: localnet.parties, tokens, synchronizerId };
}

const listed = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries)
    .map(([name, value]) => `  ${name.padEnd(14)} ${value}\n`)
    .join('');

function shown({ participants, urls, parties, tokens }: Awaited<ReturnType<typeof describe>>) {
  const blocks = Object.entries(participants).map(
    ([name, addresses]) => `\nparticipant ${name}\n${listed({ ...addresses })}`,
  );
  const people = Object.keys(tokens).length === 0 ? '' : `\ntokens, for a day\n${listed(tokens)}`;
  return `LocalNet is ready. Ctrl-C ends it.\n${blocks.join('')}\nnetwork\n${listed({ ...urls })}\nparties\n${listed(parties)}${people}`;
}

/** Closes the network at the first signal, and ends the process at the second. */
function endWhenAsked(localnet: Localnet): void {
  let isEnding = false;
  const end = () => {
    if (isEnding) process.exit(FAILED);
    isEnding = true;
    localnet.close().then(() => process.exit(0), fail);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tenure-localnet: ${text}\n`);
  process.exitCode = error instanceof UsageError ? MISUSED : FAILED;
}

try {
  const command = await readCommand(process.argv.slice(2));
  if (command.kind === 'help') say(USAGE);
  else if (command.kind === 'version') say(`${versionOf()}\n`);
  else {
    const localnet = await startLocalnet(command.options);
    endWhenAsked(localnet);
    const description = await describe(localnet, command.options);
    say(command.isJson ? `${JSON.stringify(description)}\n` : shown(description));
  }
} catch (error) {
  fail(error);
}
