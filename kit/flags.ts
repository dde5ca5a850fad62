import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PARTICIPANT_NAMES } from '../localnet/ports.ts';
import type { ParticipantName, ParticipantPorts } from '../localnet/ports.ts';
import type { LocalnetOptions, WantedPorts } from './api.ts';

export const USAGE = `Usage: tenure-localnet [options]

Starts a Canton network in one process, and runs until Ctrl-C: three participants with Ledger API (gRPC) and
JSON Ledger API, an authorization server, wallets, token registry and scan.

  --party <name>[@<participant>]  allocate a party, and a user of that name who may act as it (may be repeated);
                                  a participant is app-user, app-provider or sv, and app-provider if none is named
  --dar <file>                    upload a DAR to all participants (may be repeated)
  --data <folder>                 keep the ledger in this folder, and continue from it
  --snapshot <file>               begin with a snapshot
  --ports fixed|free              those of the public quickstart, or any that are free (default: fixed)
  --port <name>=<number>          one port (may be repeated): auth, registry, wallet, network, or
                                  <participant>.<ledger|json|admin|validator|health>
  --host <address>                listen on this address (default: 127.0.0.1)
  --single                        one participant stands for all three
  --time wall|static|<instant>    ledger time passes, or stands still, now or at an ISO 8601 instant (default: wall)
  --auth oauth2|shared-secret     whose tokens the participants take (default: oauth2)
  --party-hint <hint>             end of the built-in parties' names (default: quickstart-tenure-1)
  --json                          print one line of JSON when it is ready
  --verbose                       write the servers' log to standard error, a line of JSON each
  --version, --help
`;

/** A parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'start'; readonly options: LocalnetOptions; readonly isJson: boolean };

/** The command line is invalid. The message names the mistake. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const FLAGS = {
  party: { type: 'string', multiple: true },
  dar: { type: 'string', multiple: true },
  data: { type: 'string' },
  snapshot: { type: 'string' },
  ports: { type: 'string' },
  port: { type: 'string', multiple: true },
  host: { type: 'string' },
  single: { type: 'boolean' },
  time: { type: 'string' },
  auth: { type: 'string' },
  'party-hint': { type: 'string' },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws UsageError */
export async function readCommand(args: readonly string[]): Promise<Command> {
  const flags = parse(args);
  if (flags.help === true) return { kind: 'help' };
  if (flags.version === true) return { kind: 'version' };
  const { data, dar, snapshot, host, auth, time, single = false } = flags;
  const hint = flags['party-hint'];
  const log = (line: object) => void process.stderr.write(`${JSON.stringify(line)}\n`);
  return {
    kind: 'start',
    isJson: flags.json === true,
    options: {
      isSingle: single,
      parties: Object.fromEntries((flags.party ?? []).map(readParty)),
      ports: readPorts(oneOf('ports', flags.ports ?? 'fixed', ['fixed', 'free']), flags.port ?? []),
      ...(dar === undefined ? {} : { dars: dar }),
      ...(data === undefined ? {} : { dataFolder: data }),
      ...(snapshot === undefined ? {} : { snapshot: await readFile(snapshot) }),
      ...(host === undefined ? {} : { host }),
      ...(time === undefined ? {} : { time: readTime(time) }),
      ...(hint === undefined ? {} : { partyHint: hint }),
      ...(auth === undefined ? {} : { auth: oneOf('auth', auth, ['oauth2', 'shared-secret']) }),
      ...(flags.verbose === true ? { log } : {}),
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function oneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} is ${known.join(' or ')}, not ${value}`);
}

function readParty(text: string): [string, ParticipantName] {
  const [name = '', participant = 'app-provider'] = text.split('@');
  if (name === '') throw new UsageError(`--party has no name: ${text}`);
  const found = PARTICIPANT_NAMES.find((each) => each === participant);
  if (found !== undefined) return [name, found];
  throw new UsageError(
    `--party ${text}: there is no participant ${participant}; there are ${PARTICIPANT_NAMES.join(', ')}`,
  );
}

function readTime(text: string): 'wall' | 'static' | Date {
  if (text === 'wall' || text === 'static') return text;
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new UsageError(`--time is wall, static or an ISO 8601 instant, not ${text}`);
}

const SHARED = ['auth', 'registry', 'wallet', 'network'] as const;
const OF_PARTICIPANTS = ['ledger', 'json', 'admin', 'validator', 'health'] as const;
const PORT_MAX = 65_535;

/**
 * Single ports can only be combined with free ports. Together with fixed ports, it would be unclear which of the fixed
 * ports are in use.
 */
function readPorts(
  mode: 'fixed' | 'free',
  single: readonly string[],
): NonNullable<LocalnetOptions['ports']> {
  if (single.length === 0) return mode;
  const shared: Record<string, number> = {};
  const participants: Partial<Record<ParticipantName, Partial<ParticipantPorts>>> = {};
  for (const text of single) {
    const [, path = '', digits = ''] = /^([a-z.-]+)=(\d+)$/u.exec(text) ?? [];
    const port = Number(digits);
    if (path === '' || port > PORT_MAX)
      throw new UsageError(`--port is no <name>=<number>: ${text}`);
    const [first = '', second] = path.split('.');
    if (second === undefined) shared[oneOf('port', first, SHARED)] = port;
    else {
      const participant = oneOf('port', first, PARTICIPANT_NAMES);
      const surface = oneOf('port', second, OF_PARTICIPANTS);
      participants[participant] = { ...participants[participant], [surface]: port };
    }
  }
  return { ...shared, participants } satisfies WantedPorts;
}
