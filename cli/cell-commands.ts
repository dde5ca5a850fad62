import type { Command } from 'commander';
import { wholeNumber } from './api/register.ts';
import { examplesOf } from './examples.ts';

const load = () => import('./commands/cell.ts');

/** Registers `tenure cell`, with which a provider moves from one deployment to another. */
export function registerCellCommands(program: Command): void {
  const cell = program
    .command('cell')
    .description('move the provider of this deployment to another deployment; see docs/SCALING.md');
  cell
    .command('export')
    .description(
      'pause, drain and freeze the provider, and copy its data to a file; a repeated call continues an interrupted one',
    )
    .requiredOption('--out <file>', 'the file to write; it contains secrets')
    .option('--address <url>', 'the new address of the provider for callers')
    .option('--wait <seconds>', 'seconds to wait for running operations (default 600)')
    .addHelpText(
      'after',
      examplesOf('cell export --out provider.cell --address https://b.tenure.example.com'),
    )
    .action(async (options) => (await load()).exportCell(options));
  cell
    .command('import')
    .description(
      'copy the provider from a file into this deployment, whose database must be empty, and check the copy',
    )
    .argument('<file>')
    .addHelpText('after', examplesOf('cell import provider.cell'))
    .action(async (file) => (await load()).importCell(file));
  cell
    .command('switch')
    .description('close the old deployment for the provider permanently')
    .argument('<receipt>', 'the receipt that `cell import` printed')
    .option(
      '--confirm <count>',
      'the number of active lifecycles, which the command prints without this option',
      wholeNumber,
    )
    .option('--reason <text>', 'the reason, which is stored with the move')
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
    .description('open the provider in the new deployment')
    .argument('<clearance>', 'the clearance that `cell switch` printed')
    .addHelpText('after', examplesOf('cell open hX2b0…'))
    .action(async (clearance) => (await load()).openCell(clearance));
  cell
    .command('give-back')
    .description('cancel the move and continue in this deployment; possible until the switch')
    .addHelpText('after', examplesOf('cell give-back'))
    .action(async () => (await load()).giveCellBack());
  cell
    .command('claim')
    .description('take over the ledger users of a deployment that no longer exists')
    .option(
      '--confirm <cells...>',
      'the cells that own the users now, which the command prints without this option',
    )
    .addHelpText('after', examplesOf('cell claim', 'cell claim --confirm 0193f0a1b2c3d4e5'))
    .action(async (options) => (await load()).claimCellLedgerUsers(options));
  cell
    .command('status')
    .description('show the progress of the move in this deployment')
    .option('--json', 'as JSON')
    .addHelpText('after', examplesOf('cell status', 'cell status --json'))
    .action(async (options) => (await load()).cellStatus(options));
}
