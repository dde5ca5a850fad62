import { Argument, Command } from 'commander';
import { registerApiCommands } from './api/register.ts';
import { registerLicenseCommands } from './license-commands.ts';
import { registerCellCommands } from './cell-commands.ts';
import { DEMO_CALLERS } from './demo-callers.ts';
import { examplesOf } from './examples.ts';

/*
 * Modules of commands are loaded when a command runs, so `tenure status` need not load what only a running Tenure
 * needs.
 */

/** The command `tenure` with all its subcommands. */
export const program = new Command('tenure')
  .description(
    'Manages software licences on a Canton ledger: installations, licences, renewals and payments.',
  )
  .showHelpAfterError()
  .exitOverride();

const FREE_PORTS = ['--free-ports', 'use free ports instead of the default ports'] as const;

program
  .command('setup')
  .description('choose the settings of this folder and write them to .env.local')
  .option('--auth-mode <mode>', 'oauth2 or shared-secret')
  .option('--party-hint <hint>', 'letters-letters-number: the end of the parties’ names')
  .option('--test-mode <mode>', 'on or off')
  .option(
    '--observability <flag>',
    'true or false; accepted for scripts of the reference application',
  )
  .option('--backend-port <port>', 'port of the API')
  .option('--postgres-port <port>', 'port of the embedded PostgreSQL')
  .option(
    '-y, --yes',
    'ask no questions: use flags, the environment, existing settings and defaults',
  )
  .addHelpText(
    'after',
    examplesOf('setup', 'setup --yes --auth-mode shared-secret --backend-port 9090'),
  )
  .action(async (options) => (await import('./commands/setup.ts')).setup(options));
program
  .command('start')
  .description(
    'start Tenure in the background, with its own database and LocalNet unless others are configured',
  )
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('start', 'start --free-ports'))
  .action(async (options) => (await import('./commands/start.ts')).start(options));
program
  .command('stop')
  .description('stop Tenure; the data is kept')
  .addHelpText('after', examplesOf('stop'))
  .action(async () => (await import('./commands/stop.ts')).stop());
program
  .command('restart')
  .description('stop and start Tenure')
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('restart'))
  .action(async (options) => {
    await (await import('./commands/stop.ts')).stop();
    await (await import('./commands/start.ts')).start(options);
  });
program
  .command('status')
  .description('list the running parts, and whether they are ready')
  .option('--json', 'as JSON')
  .addHelpText('after', examplesOf('status', 'status --json'))
  .action(async (options) => (await import('./commands/status.ts')).status(options));
program
  .command('run')
  .description('run Tenure in the foreground')
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('run', 'run --free-ports'))
  .action(async (options) => (await import('./commands/run.ts')).run(options));
const localnet = program
  .command('localnet')
  .description('run LocalNet alone, in the foreground')
  .option('--single', 'one participant for all parties, on ports 5001 to 5003 and 7575')
  .option('--dars <folder>', 'upload the DARs of this folder to all participants first')
  .option('--strict-tokens', 'refuse tokens that never expire or lack the scope of the Ledger API')
  .addHelpText(
    'after',
    examplesOf('localnet', 'localnet --single', 'localnet --dars daml/.daml/dist'),
  )
  .action(async (options) => (await import('./commands/localnet.ts')).localnet(options));
const faults = localnet.command('faults').description('faults of a running LocalNet, for tests');
const URL_OPTION = [
  '--url <url>',
  'the network port of LocalNet, such as http://localhost:4000; default: that of the running Tenure',
] as const;
const loadFaults = () => import('./commands/localnet-faults.ts');
faults
  .command('list')
  .description('list the faults, and how often each has occurred')
  .option(...URL_OPTION)
  .addHelpText(
    'after',
    examplesOf('localnet faults list', 'localnet faults list --url http://localhost:4000'),
  )
  .action(async (options) => (await loadFaults()).listFaults(options));
faults
  .command('add')
  .description('add faults; see docs/LOCALNET.md')
  .argument('<json>', 'a fault, a script, or a list of them, as JSON; @file reads a file')
  .option(...URL_OPTION)
  .addHelpText(
    'after',
    examplesOf(
      `localnet faults add '{"kind": "reject", "code": "MEDIATOR_SAYS_TX_TIMED_OUT", "times": 1}'`,
      `localnet faults add '{"kind": "behind", "where": {"participant": "app-user"}, "seconds": 60}'`,
      'localnet faults add @faults.json',
    ),
  )
  .action(async (json, options) => (await loadFaults()).addFault(json, options));
faults
  .command('clear')
  .description('remove all faults, or one of them')
  .argument('[id]', 'the ID of a fault or a script')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet faults clear', 'localnet faults clear fault-1'))
  .action(async (id, options) => (await loadFaults()).clearFaults(id, options));
const loadParticipants = () => import('./commands/localnet-participants.ts');
localnet
  .command('participants')
  .description('show the ledger end and the traffic of each participant')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet participants'))
  .action(async (options) => (await loadParticipants()).listParticipants(options));
localnet
  .command('tick')
  .description('advance the time of a participant, or of all; on a quiet ledger nothing else does')
  .argument('[participant]', 'app-user, app-provider or sv')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet tick', 'localnet tick app-provider'))
  .action(async (participant, options) => (await loadParticipants()).tick(participant, options));
localnet
  .command('traffic')
  .description('set the traffic that a participant may spend on the synchronizer')
  .argument('<participant>', 'app-user, app-provider or sv')
  .option('--balance <amount>', 'set the balance to this number of bytes, or to unlimited')
  .option('--top-up <amount>', 'add this number of bytes')
  .option(...URL_OPTION)
  .addHelpText(
    'after',
    examplesOf(
      'localnet traffic app-provider --balance 0',
      'localnet traffic app-provider --top-up 1000000',
    ),
  )
  .action(async (participant, options) =>
    (await loadParticipants()).setTraffic(participant, options),
  );
localnet
  .command('host')
  .description('host a party on another participant too')
  .argument('<party>')
  .argument('<participant>', 'app-user, app-provider or sv')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet host alice::1220ab… app-provider'))
  .action(async (party, participant, options) =>
    (await loadParticipants()).hostParty(party, participant, options),
  );
localnet
  .command('packages')
  .description('list the packages of the participants, or the contents of one package')
  .argument('[package]', 'the name of the package, or the beginning of its ID')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet packages', 'localnet packages quickstart-licensing'))
  .action(async (wanted, options) =>
    (await import('./commands/localnet-packages.ts')).showPackages(wanted, options),
  );
localnet
  .command('upload')
  .description('upload DARs to all participants')
  .argument('<dar...>', 'the DAR files')
  .option('--if-running', 'if no participant runs, print a note instead of an error')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet upload daml/.daml/dist/app-1.0.0.dar'))
  .action(async (files, options) =>
    (await import('./commands/localnet-packages.ts')).uploadDars(files, options),
  );
localnet
  .command('test')
  .description('run every Daml Script of a DAR, each on a new ledger')
  .argument('<dar>', 'the DAR file')
  .addHelpText('after', examplesOf('localnet test daml/.daml/dist/app-tests-1.0.0.dar'))
  .action(async (dar) => (await import('./commands/localnet.ts')).testScripts(dar));
localnet
  .command('run')
  .description('run one Daml Script of a DAR on a new ledger, and print its result')
  .argument('<dar>', 'the DAR file')
  .argument('<script>', 'the module and name of the script')
  .option('--input-json <file>', 'the argument of the script, as JSON')
  .addHelpText(
    'after',
    examplesOf(
      'localnet run app-tests-1.0.0.dar Main:setup',
      'localnet run app-tests-1.0.0.dar Main:setupFor --input-json party.json',
    ),
  )
  .action(async (dar, script, options) =>
    (await import('./commands/localnet.ts')).runScript(dar, script, options),
  );
program
  .command('demo')
  .description('run the whole lifecycle on free ports in a temporary folder')
  .option('--watch', 'keep everything running after the demo, until Ctrl-C')
  .option('--subscription', 'show a year of monthly renewals instead of the lifecycle')
  .addHelpText('after', examplesOf('demo', 'demo --watch', 'demo --subscription'))
  .action(async (options) => (await import('./commands/demo.ts')).demo(options));
program
  .command('chaos')
  .description(
    'run Tenure in real processes, kill them, cut connections and delete data, and check that nothing was lost',
  )
  .option(
    '--seed <number>',
    'the seed; the same seed gives the same actions at the same times (default: random)',
  )
  .option(
    '--size <size>',
    'small, or ha: a PostgreSQL primary with a synchronous standby, a Redis Cluster, and two processes of each role',
    'small',
  )
  .option('--minutes <number>', 'how long faults occur', '4')
  .option('--queue <kind>', 'postgres or redis (default: postgres; for the size ha: redis)')
  .option('--faults <kinds>', 'only these faults, comma separated')
  .option('--actors <number>', 'number of concurrent licence lifecycles', '6')
  .option(
    '--crowd <number>',
    'number of operations that wait on the first install that ends (default 20000)',
  )
  .option('--json', 'print the report as JSON')
  .option('--report <file>', 'write the report to this file, as JSON')
  .option('--keep', 'keep the folder with logs and data; it is always kept if a check has failed')
  .addHelpText(
    'after',
    examplesOf(
      'chaos --minutes 1',
      'chaos --seed 42 --queue redis --report chaos.json',
      'chaos --faults kill,cut --json',
      'chaos --size ha --minutes 1',
    ),
  )
  .action(async (options) => (await import('./commands/chaos.ts')).chaos(options));
program
  .command('token')
  .description('print an access token of a demo caller of LocalNet')
  .addArgument(new Argument('<who>').choices(DEMO_CALLERS))
  .addHelpText('after', examplesOf('token provider'))
  .action(async (who) => (await import('./commands/token.ts')).token(who));
program
  .command('create-app-install-request')
  .description('request an installation as the demo user, directly at the user’s participant')
  .option('--tag <text>', 'the text for the metadata entry and the end of the command ID')
  .addHelpText(
    'after',
    examplesOf('create-app-install-request', 'create-app-install-request --tag first'),
  )
  .action(async (options) =>
    (await import('./commands/create-app-install-request.ts')).createAppInstallRequest(options),
  );
program
  .command('reference-env')
  .description(
    'print the settings that the browser tests of the reference application read from .generated.env',
  )
  .option('-o, --output <file>', 'write the settings to this file')
  .addHelpText(
    'after',
    examplesOf(
      'reference-env',
      'reference-env --output quickstart/integration-test/.generated.env',
    ),
  )
  .action(async (options) => (await import('./commands/reference-env.ts')).referenceEnv(options));
program
  .command('shell')
  .description('open psql, or a small SQL shell, on the query store')
  .option('-c, --command <sql>', 'run one statement and exit')
  .option('--built-in', 'use the small shell even if psql is installed')
  .addHelpText('after', examplesOf('shell', `shell --command "select * from active('License')"`))
  .action(async (options) => (await import('./commands/shell.ts')).shell(options));
program
  .command('doctor')
  .description('check everything: configuration, database, ledger, queue, operations, invariants')
  .option('--no-replay', 'do not compare the query store with the updates of the participants')
  .option('--since <offset>', 'compare only updates after this offset')
  .option(
    '--audit-copy <file>',
    'after a restore: list revoked keys and suspensions that the restore has undone',
  )
  .option(
    '--copied-at <instant>',
    'after a restore: count revoked keys that may be valid again since this time',
  )
  .option('--deep', 'also compare the active contracts of the participant')
  .option('--json', 'as JSON')
  .addHelpText(
    'after',
    examplesOf(
      'doctor',
      'doctor --no-replay',
      'doctor --since 1200 --deep --json',
      'doctor --audit-copy audit.json',
    ),
  )
  .action(async (options) => (await import('./commands/doctor.ts')).doctor(options));
program
  .command('projection')
  .description('commands for the projection: the copy of the ledger in the query store')
  .command('rebuild')
  .description(
    'rebuild the projection from the ledger; without --yes, only print what would change',
  )
  .option('-y, --yes', 'do it')
  .option('--wait <seconds>', 'how many seconds to wait for the projector (default 600)')
  .option('--json', 'as JSON')
  .addHelpText(
    'after',
    examplesOf(
      'projection rebuild',
      'projection rebuild --yes',
      'projection rebuild --yes --wait 3600 --json',
    ),
  )
  .action(async (options) => (await import('./commands/projection.ts')).rebuild(options));
program
  .command('queue')
  .description('commands for the queue of operations to submit')
  .command('shards')
  .description('show the number of queues, or set it')
  .argument(
    '[number]',
    'number of queues: two or three for each primary of a Redis Cluster, otherwise one',
  )
  .option('--json', 'as JSON')
  .addHelpText('after', examplesOf('queue shards', 'queue shards 6'))
  .action(async (number, options) => (await import('./commands/queue.ts')).shards(number, options));
const secrets = program
  .command('secrets')
  .description('keys that encrypt webhook secrets and ID tokens in the database');
secrets
  .command('new-key')
  .description('create a key, in the data folder or for TENURE_SECRET_KEYS')
  .addHelpText('after', examplesOf('secrets new-key'))
  .action(async () => (await import('./commands/secrets.ts')).newKey());
secrets
  .command('rotate')
  .description('encrypt all secrets with the first key')
  .addHelpText('after', examplesOf('secrets rotate'))
  .action(async () => (await import('./commands/secrets.ts')).rotate());
secrets
  .command('rotate-signing-key')
  .description(
    'sign licence files with a new key; the old key stays public until its last file expires',
  )
  .addHelpText('after', examplesOf('secrets rotate-signing-key'))
  .action(async () => (await import('./commands/secrets.ts')).rotateFileKey());
registerLicenseCommands(program);
const OF_SEVERAL_PARTIES = 'the party of the person, if several parties know the subject';
const privacy = program
  .command('privacy')
  .description('the data of a person outside the ledger, by the subject of the tokens');
privacy
  .command('export')
  .description('print the data as JSON')
  .argument('<subject>', 'the claim sub of the token, or the sign-in name')
  .option('--party <party>', OF_SEVERAL_PARTIES)
  .addHelpText('after', examplesOf('privacy export c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'))
  .action(async (subject, options) =>
    (await import('./commands/privacy.ts')).exportData(subject, options),
  );
privacy
  .command('erase')
  .description(
    'end the sessions of a person and delete the names behind the pseudonyms in the audit log',
  )
  .argument('<subject>', 'the claim sub of the token, or the sign-in name')
  .option('--party <party>', OF_SEVERAL_PARTIES)
  .option('-y, --yes', 'do it')
  .addHelpText('after', examplesOf('privacy erase c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11 --yes'))
  .action(async (subject, options) =>
    (await import('./commands/privacy.ts')).erase(subject, options),
  );
program
  .command('capture-logs')
  .description('collect all logs in ./logs and follow them')
  .option('--once', 'exit instead of following the logs')
  .addHelpText('after', examplesOf('capture-logs', 'capture-logs --once'))
  .action(async (options) => (await import('./commands/capture-logs.ts')).captureLogs(options));
program
  .command('clean')
  .description('stop Tenure, and delete the embedded database, the LocalNet ledger and the logs')
  .addHelpText('after', examplesOf('clean'))
  .action(async () => (await import('./commands/clean.ts')).clean());

registerCellCommands(program);
registerApiCommands(program);
