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
  /** Asks nothing. */
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

/** Flags, then the environment, then what the file says already, then the default. */
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

/** Returns what is wrong with one answer, by the rules of every start. */
function mistakeOf(name: Name, value: string | undefined): string | undefined {
  try {
    readEnvironment({ [name]: value ?? '' });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes.join('; ');
    throw error;
  }
}

/** Asks a person, with what is known as the answers to begin with. @throws Error when the person leaves. */
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
        throw new Error('interrupted: nothing is written');
      },
    },
  );
}

/** Writes the answers into the file; its other lines stay as they are. */
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

/** Decides the settings of this folder, with a person where there is one, and writes them down. */
export async function setup(options: SetupOptions): Promise<void> {
  const from = known(options);
  // A person can be asked, but a wrong flag is an error at once.
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
