import type { Command } from 'commander';
import { wholeNumber } from './api/register.ts';
import { examplesOf } from './examples.ts';

const load = () => import('./commands/cell.ts');

/** Registers `tenure cell`, with which a provider moves from one deployment to another. */
export function registerCellCommands(program: Command): void {
  const cell = program
    .command('cell')
    .description('move the provider of this deployment to another one; see docs/SCALING.md');
  cell
    .command('export')
    .description(
      'pause, drain, freeze and copy the provider to a file; called again, go on from there',
    )
    .requiredOption('--out <file>', 'the file, which holds secrets')
    .option('--address <url>', 'where callers will find it')
    .option('--wait <seconds>', 'how long what is under way may take (default 600)')
    .addHelpText(
      'after',
      examplesOf('cell export --out provider.cell --address https://b.tenure.example.com'),
    )
    .action(async (options) => (await load()).exportCell(options));
  cell
    .command('import')
    .description(
      'copy the provider from a file into this deployment, whose database is empty, and check it',
    )
    .argument('<file>')
    .addHelpText('after', examplesOf('cell import provider.cell'))
    .action(async (file) => (await load()).importCell(file));
  cell
    .command('switch')
    .description('close the old deployment for the provider, for good')
    .argument('<receipt>', 'what the import has shown')
    .option(
      '--confirm <count>',
      'how many lifecycles are alive here, as shown without it',
      wholeNumber,
    )
    .option('--reason <text>', 'why; kept with the move')
    .addHelpText(
      'after',
      examplesOf(
        'cell switch 3n5Tq…',
        'cell switch 3n5Tq… --confirm 396 --reason "moved to the larger cell"',
      ),
    )
    .action(async (receipt, options) => (await load()).switchCell(receipt, options));
  cell
    .command('open')
    .description('let the provider go on in the new deployment')
    .argument('<clearance>', 'what the switch has shown')
    .addHelpText('after', examplesOf('cell open hX2b0…'))
    .action(async (clearance) => (await load()).openCell(clearance));
  cell
    .command('give-back')
    .description('take the provider back, at any time before the switch')
    .addHelpText('after', examplesOf('cell give-back'))
    .action(async () => (await load()).giveCellBack());
  cell
    .command('claim')
    .description('make its ledger users this deployment’s, where the one that had them is gone')
    .option('--confirm <cells...>', 'the deployments that have the users now, as shown without it')
    .addHelpText('after', examplesOf('cell claim', 'cell claim --confirm 0193f0a1b2c3d4e5'))
    .action(async (options) => (await load()).claimCellLedgerUsers(options));
  cell
    .command('status')
    .description('how far the move is, in this deployment')
    .option('--json', 'as JSON')
    .addHelpText('after', examplesOf('cell status', 'cell status --json'))
    .action(async (options) => (await load()).cellStatus(options));
}
