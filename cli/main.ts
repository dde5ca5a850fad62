import { Argument, Command } from 'commander';
import { captureLogs } from './commands/capture-logs.ts';
import { clean } from './commands/clean.ts';
import { createAppInstallRequest } from './commands/create-app-install-request.ts';
import { demo } from './commands/demo.ts';
import { localnet } from './commands/localnet.ts';
import { run } from './commands/run.ts';
import { shell } from './commands/shell.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { DEMO_CALLERS, token } from './commands/token.ts';
import { complain, lineOf } from './output.ts';

const program = new Command('tenure')
  .description('Runs the life of software licences on a Canton ledger.')
  .showHelpAfterError();

program
  .command('start')
  .description(
    'start in the background: database, LocalNet and Tenure, as far as not configured elsewhere',
  )
  .action(start);
program.command('stop').description('stop it; data is kept').action(stop);
program
  .command('restart')
  .description('stop and start')
  .action(async () => {
    await stop();
    await start();
  });
program
  .command('status')
  .description('list what runs, and whether it is ready')
  .option('--json', 'as JSON')
  .action(status);
program
  .command('run')
  .description('run in the foreground')
  .option('--free-ports', 'take ports that are free, instead of the usual ones')
  .action(run);
program.command('localnet').description('run LocalNet alone, in the foreground').action(localnet);
program
  .command('demo')
  .description('walk the whole lifecycle on free ports in a temporary folder')
  .action(demo);
program
  .command('token')
  .description('print an access token of a demo caller of LocalNet')
  .addArgument(new Argument('<who>').choices(DEMO_CALLERS))
  .action(token);
program
  .command('create-app-install-request')
  .description('ask for an installation as the demo user, straight at the user’s participant')
  .option('--tag <text>', 'metadata entry and command ID suffix')
  .action(createAppInstallRequest);
program
  .command('shell')
  .description('psql, or a small shell, on the query store')
  .option('-c, --command <sql>', 'run one statement and leave')
  .option('--built-in', 'the small shell, even where psql is installed')
  .action(shell);
program
  .command('capture-logs')
  .description('collect all logs in ./logs and follow them')
  .option('--once', 'do not follow')
  .action(captureLogs);
program
  .command('clean')
  .description('stop, and delete everything embedded: database, ledger, logs')
  .action(clean);

try {
  await program.parseAsync();
} catch (error) {
  complain(lineOf(error));
}
