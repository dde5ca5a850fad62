import { Argument, InvalidArgumentError, Option as CommanderOption } from 'commander';
import type { Command } from 'commander';
import { DEMO_CALLERS } from '../demo-callers.ts';
import { examplesOf } from '../examples.ts';
import type { Call } from './client.ts';
import type { ApiCommand, ApiGroup, Option } from './description.ts';
import { FILTER } from './filter.ts';
import { LICENSES } from './licenses.ts';
import { PAYMENTS, STATISTICS } from './payments.ts';
import { OPS } from './ops.ts';
import { POLICY, POLICY_MEMBERS } from './policy.ts';
import type { Flags } from './run.ts';
import { CUSTOMERS, PLANS } from './product.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';
import { WEBHOOKS } from './webhooks.ts';
import type { PolicyName } from '../../src/domain/automatic.ts';
import { POLICY_NAMES } from '../../src/domain/automatic.ts';

/* This module only defines commands. The modules that call the API are loaded when a command runs. */

const ROWS_MAX = 1_000_000;

/** Parses a whole number. @throws InvalidArgumentError, which commander reports */
export function wholeNumber(text: string): number {
  const value = /^\d{1,7}$/u.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= ROWS_MAX) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${ROWS_MAX}.`);
}

function addOptions(command: Command, options: readonly Option[]): Command {
  for (const { flags, about, choices, isRequired, isOld } of options) {
    const option = new CommanderOption(flags, about).makeOptionMandatory(isRequired === true);
    option.hideHelp(isOld === true);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return command;
}

const callerOption = (): CommanderOption =>
  new CommanderOption('--as <who>', 'the demo caller of LocalNet (default: the operator)').choices(
    DEMO_CALLERS,
  );

/** Adds the options that all commands of the API have, and this command's examples. */
function finish(command: Command, examples: readonly string[]): Command {
  return command
    .option('--json', 'print only the answer of the API, as JSON')
    .addOption(callerOption())
    .addHelpText('after', examplesOf(...examples));
}

function limitChoices(command: Command, choices: ApiCommand['choices']): void {
  for (const argument of command.registeredArguments) {
    const known = choices?.[argument.name()];
    if (known !== undefined) argument.choices([...known]);
  }
}

function registerCommand(group: Command, described: ApiCommand): void {
  const command = group.command(described.usage).description(described.about);
  limitChoices(command, described.choices);
  addOptions(command, described.options ?? []);
  if (described.preview !== undefined) {
    command.option(
      '--confirm <count>',
      'confirm the action with the count that the command prints without this option',
      wholeNumber,
    );
  }
  if (described.isPaged === true) {
    command
      .option('--limit <rows>', 'the maximum number of rows (default 50)', wholeNumber)
      .option('--all', 'all rows');
  }
  if (described.isOperation === true) {
    command.option(
      '--command-id <id>',
      'the command ID; repeated commands with one ID take effect once (default: a new ID)',
    );
  }
  if (described.hasCsv === true)
    command.option('--csv', 'print all rows as CSV, or as many as --limit');
  if (described.hasSecret === true) {
    command.requiredOption(
      '--secret-file <file>',
      'a new file for the secret, which is not printed',
    );
  }
  finish(command, described.examples).action(async (...given: unknown[]) => {
    const flags = command.opts<Flags>();
    const args = given.slice(0, command.registeredArguments.length) as (string | undefined)[];
    await (await import('./run.ts')).runApiCommand(described, args, flags);
  });
}

function registerGroup(program: Command, { name, about, commands }: ApiGroup): Command {
  const group = program.command(name).description(about);
  for (const described of commands) registerCommand(group, described);
  return group;
}

function registerBulk(ops: Command): void {
  const command = ops
    .command('bulk <action>')
    .description(
      'act on all operations that match a filter, after you have confirmed their number',
    );
  limitChoices(command, { action: ['retry', 'cancel', 'decide'] });
  addOptions(command, [
    ...FILTER,
    { flags: '--reason <text>', about: 'the reason, for the audit log', isRequired: true },
    {
      flags: '--decision <decision>',
      about: 'the decision, for decide',
      choices: ['took-effect', 'no-effect', 'submit-again'],
    },
  ]);
  command
    .option(
      '--confirm <count>',
      'do not ask; the count of the preview, otherwise the action is refused',
      wholeNumber,
    )
    .option('--no-wait', 'do not wait until the bulk action has ended');
  finish(command, [
    'ops bulk retry --state failed --code LEDGER_UNAVAILABLE --reason "the participant is back"',
    'ops bulk cancel --state queued --until 1d --reason "no longer wanted" --confirm 12 --json',
  ]).action(async (action: string) =>
    (await import('../commands/bulk.ts')).bulk(action, command.opts()),
  );
}

function registerAttention(ops: Command): void {
  const command = ops
    .command('attention')
    .description(
      'everything that needs an operator: the number and the first entries of each kind',
    );
  finish(command, ['ops attention', 'ops attention --json']).action(async () =>
    (await import('../commands/attention.ts')).attention(command.opts<Flags>()),
  );
}

function registerPolicySet(policy: Command): void {
  const command = policy
    .command('set <kind>')
    .description('change some settings of a policy, and keep the others');
  limitChoices(command, { kind: POLICY_NAMES });
  addOptions(command, Object.values(POLICY_MEMBERS).flat());
  command
    .option(
      '--file <json>',
      'a file with the whole policy in the JSON form of the API; - reads standard input',
    )
    .option(
      '--confirm <count>',
      'confirm the number of existing licences that the policy can end, which the command prints without this option',
      wholeNumber,
    )
    .option('--reason <text>', 'the reason, for the audit log');
  finish(command, [
    'policy set expiry --mode dry-run --grace 3d',
    'policy set expiry --mode on --quiet-hours 22:00-06:00@Europe/Zurich --max-in-flight 5',
    'policy set expiry --mode on --confirm 396 --reason "three days are over"',
    'policy set renewal --complete true --withdraw-lapsed true',
    'policy set expiry --file expiry.json',
  ]).action(async (kind: PolicyName) =>
    (await import('../commands/policy-set.ts')).setPolicy(kind, command.opts<Flags>()),
  );
}

function registerPolicyUndo(policy: Command): void {
  const command = policy
    .command('undo <kind>')
    .description('undo a confirmed policy that has not started yet')
    .requiredOption('--reason <text>', 'the reason, for the audit log');
  limitChoices(command, { kind: POLICY_NAMES });
  finish(command, ['policy undo expiry --reason "not those licences"']).action(
    async (kind: PolicyName) =>
      (await import('../commands/policy-set.ts')).undoPolicy(kind, command.opts()),
  );
}

function registerWatch(licenses: Command): void {
  const command = licenses
    .command('watch <contractId>')
    .description('print the events of a licence until it has ended or you press Ctrl-C');
  finish(command, [
    'licenses watch license-a1b2c3d4e5f60718293a',
    'licenses watch license-a1b2c3d4e5f60718293a --json',
  ]).action(async (id: string) =>
    (await import('../commands/watch.ts')).watch(id, command.opts<Flags>()),
  );
}

function registerCall(program: Command): void {
  const command = program
    .command('call')
    .description('make any call of the API, such as one without a command')
    .addArgument(new Argument('<method>').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .argument('<path>', 'the path with its query, as /docs shows it')
    .option('--data <json>', 'the body');
  finish(command, [
    "call GET '/app-installs?limit=10'",
    `call POST '/app-install-requests?commandId=ask-17' --data '{"meta": {"data": {}}}' --as user`,
  ]).action(async (method: Call['method'], path: string) =>
    (await import('../commands/call.ts')).call(method, path, command.opts<Flags>()),
  );
}

function registerMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve the API to an MCP client on standard input and output; see docs/MCP.md')
    .addOption(callerOption())
    .option(
      '--allow-acts',
      'also offer tools that change data; each needs the token of its preview',
    )
    .addHelpText('after', examplesOf('mcp', 'mcp --as provider --allow-acts'));
  command.action(async () => (await import('../commands/mcp.ts')).mcp(command.opts()));
}

/** Registers all commands that call the API. */
export function registerApiCommands(program: Command): void {
  const ops = registerGroup(program, OPS);
  registerAttention(ops);
  registerBulk(ops);
  const policy = registerGroup(program, POLICY);
  registerPolicySet(policy);
  registerPolicyUndo(policy);
  registerWatch(registerGroup(program, LICENSES));
  registerGroup(program, CUSTOMERS);
  registerGroup(program, PLANS);
  registerGroup(program, SUBSCRIPTIONS);
  registerGroup(program, PAYMENTS);
  registerGroup(program, STATISTICS);
  registerGroup(program, WEBHOOKS);
  registerCall(program);
  registerMcp(program);
  const machines = program
    .command('machines [kind] [version]')
    .description('list the machines, or the states and transitions of one machine')
    .option('--mermaid', 'as a mermaid stateDiagram');
  finish(machines, ['machines', 'machines license', 'machines renewal 2 --mermaid']).action(
    async (kind: string | undefined, version: string | undefined) =>
      (await import('../commands/machines.ts')).machines(kind, version, machines.opts()),
  );
  const history = program
    .command('history <id>')
    .description('show the history of a lifecycle or contract, or the outcome of an operation');
  finish(history, [
    'history license-a1b2c3d4e5f60718293a',
    'history 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011',
    'history renew-17',
  ]).action(async (id: string) =>
    (await import('../commands/history.ts')).history(id, history.opts<Flags>()),
  );
}
