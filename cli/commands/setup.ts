import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { group, intro, outro, select, text } from '@clack/prompts';
import { ConfigError, processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { ENVIRONMENT_FILE } from '../../src/main/environment-file.ts';

export interface SetupOptions {
  readonly authMode?: string;
  readonly partyHint?: string;
  readonly testMode?: string;
  readonly observability?: string;
  readonly backendPort?: string;
  readonly postgresPort?: string;
  /** Whether to ask no questions. */
  readonly yes?: boolean;
}

/** The settings in the order of the questions, each with its default. */
const DEFAULTS = {
  AUTH_MODE: 'oauth2',
  PARTY_HINT: 'quickstart-tenure-1',
  TEST_MODE: 'off',
  OBSERVABILITY_ENABLED: 'false',
  BACKEND_PORT: '8080',
  POSTGRES_PORT: '5432',
} as const;
type Name = keyof typeof DEFAULTS;
type Answers = Readonly<Record<Name, string>>;
const NAMES = Object.keys(DEFAULTS) as Name[];

/** Returns the known settings: from flags, else the environment, else the existing file, else the default. */
function known(options: SetupOptions): Answers {
  const flags: Readonly<Record<Name, string | undefined>> = {
    AUTH_MODE: options.authMode,
    PARTY_HINT: options.partyHint,
    TEST_MODE: options.testMode,
    OBSERVABILITY_ENABLED: options.observability,
    BACKEND_PORT: options.backendPort,
    POSTGRES_PORT: options.postgresPort,
  };
  const env = processEnvironment();
  const valueOf = (name: Name) => flags[name] ?? (env[name]?.trim() || DEFAULTS[name]);
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<Name, string>;
}

/** Returns what is wrong with one answer, according to the rules that apply at every start. */
function mistakeOf(name: Name, value: string | undefined): string | undefined {
  try {
    readEnvironment({ [name]: value ?? '' });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes.join('; ');
    throw error;
  }
}

/** Asks a person for the settings, starting from the known ones. @throws Error if the person quits */
async function ask(from: Answers): Promise<Answers> {
  const choose = (name: Name, message: string, values: readonly string[]) => () =>
    select({
      message,
      initialValue: from[name],
      options: values.map((value) => ({ value, label: value })),
    });
  const write = (name: Name, message: string) => () =>
    text({ message, initialValue: from[name], validate: (value) => mistakeOf(name, value) });
  intro('Settings of Tenure');
  return group(
    {
      AUTH_MODE: choose('AUTH_MODE', 'How do people sign in?', ['oauth2', 'shared-secret']),
      PARTY_HINT: write('PARTY_HINT', 'End of the parties’ names (letters-letters-number)'),
      TEST_MODE: choose('TEST_MODE', 'Test mode?', ['off', 'on']),
      OBSERVABILITY_ENABLED: choose('OBSERVABILITY_ENABLED', 'Observability?', ['false', 'true']),
      BACKEND_PORT: write('BACKEND_PORT', 'Port of the API'),
      POSTGRES_PORT: write('POSTGRES_PORT', 'Port of the embedded PostgreSQL'),
    },
    {
      onCancel: () => {
        throw new Error('interrupted: no settings were written');
      },
    },
  );
}

/** Writes the answers to the file, and keeps its other lines. */
function write(answers: Answers): void {
  let before = '';
  try {
    before = readFileSync(ENVIRONMENT_FILE, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const isOurs = (line: string) => NAMES.some((name) => new RegExp(`^\\s*${name}\\s*=`).test(line));
  const others = before.split('\n').filter((line) => line.trim() !== '' && !isOurs(line));
  const lines = [...others, ...NAMES.map((name) => `${name}=${answers[name]}`)];
  const beside = `${ENVIRONMENT_FILE}.${process.pid}`;
  writeFileSync(beside, `${lines.join('\n')}\n`);
  renameSync(beside, ENVIRONMENT_FILE);
}

/** Determines the settings of this folder, asks a person if there is a terminal, and writes them to the file. */
export async function setup(options: SetupOptions): Promise<void> {
  const from = known(options);
  // A person could correct a setting, but a wrong flag is an error at once.
  const mistakes = NAMES.flatMap((name) => mistakeOf(name, from[name]) ?? []);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const isInteractive = process.stdin.isTTY && process.stdout.isTTY && options.yes !== true;
  const answers = isInteractive ? await ask(from) : from;
  write(answers);
  const shown = NAMES.map((name) => `  ${name}=${answers[name]}`).join('\n');
  const message = `Written to ${ENVIRONMENT_FILE}:\n${shown}`;
  if (isInteractive) outro(message);
  else console.log(message);
}
