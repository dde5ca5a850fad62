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
  .description('Runs the life of software licences on a Canton ledger.')
  .showHelpAfterError()
  .exitOverride();

const FREE_PORTS = ['--free-ports', 'take ports that are free, instead of the usual ones'] as const;

program
  .command('setup')
  .description('decide the settings of this folder and write them to .env.local')
  .option('--auth-mode <mode>', 'oauth2 or shared-secret')
  .option('--party-hint <hint>', 'letters-letters-number: the end of the parties’ names')
  .option('--test-mode <mode>', 'on or off')
  .option('--observability <flag>', 'true or false; kept for scripts of the reference')
  .option('--backend-port <port>', 'port of the API')
  .option('--postgres-port <port>', 'port of the embedded PostgreSQL')
  .option('-y, --yes', 'ask nothing: flags, environment, what is there, defaults')
  .addHelpText(
    'after',
    examplesOf('setup', 'setup --yes --auth-mode shared-secret --backend-port 9090'),
  )
  .action(async (options) => (await import('./commands/setup.ts')).setup(options));
program
  .command('start')
  .description(
    'start in the background: database, LocalNet and Tenure, as far as not configured elsewhere',
  )
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('start', 'start --free-ports'))
  .action(async (options) => (await import('./commands/start.ts')).start(options));
program
  .command('stop')
  .description('stop it; data is kept')
  .addHelpText('after', examplesOf('stop'))
  .action(async () => (await import('./commands/stop.ts')).stop());
program
  .command('restart')
  .description('stop and start')
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('restart'))
  .action(async (options) => {
    await (await import('./commands/stop.ts')).stop();
    await (await import('./commands/start.ts')).start(options);
  });
program
  .command('status')
  .description('list what runs, and whether it is ready')
  .option('--json', 'as JSON')
  .addHelpText('after', examplesOf('status', 'status --json'))
  .action(async (options) => (await import('./commands/status.ts')).status(options));
program
  .command('run')
  .description('run in the foreground')
  .option(...FREE_PORTS)
  .addHelpText('after', examplesOf('run', 'run --free-ports'))
  .action(async (options) => (await import('./commands/run.ts')).run(options));
const localnet = program
  .command('localnet')
  .description('run LocalNet alone, in the foreground')
  .option('--single', 'one participant for everybody, on ports 5001 to 5003 and 7575')
  .option('--dars <folder>', 'upload the DARs of this folder to all participants first')
  .option('--strict-tokens', 'refuse tokens that never expire or lack the scope of the Ledger API')
  .addHelpText(
    'after',
    examplesOf('localnet', 'localnet --single', 'localnet --dars daml/.daml/dist'),
  )
  .action(async (options) => (await import('./commands/localnet.ts')).localnet(options));
const faults = localnet.command('faults').description('what goes wrong in a running LocalNet');
const URL_OPTION = [
  '--url <url>',
  'its network port, such as http://localhost:4000; else the one of the running Tenure',
] as const;
const loadFaults = () => import('./commands/localnet-faults.ts');
faults
  .command('list')
  .description('list faults, and how often they have struck')
  .option(...URL_OPTION)
  .addHelpText(
    'after',
    examplesOf('localnet faults list', 'localnet faults list --url http://localhost:4000'),
  )
  .action(async (options) => (await loadFaults()).listFaults(options));
faults
  .command('add')
  .description('let something go wrong; see docs/LOCALNET.md')
  .argument('<json>', 'a fault, a script, or a list of them; @file: what is in it')
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
  .description('let nothing go wrong any more, or not this')
  .argument('[id]', 'of a fault or a script')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet faults clear', 'localnet faults clear fault-1'))
  .action(async (id, options) => (await loadFaults()).clearFaults(id, options));
const loadParticipants = () => import('./commands/localnet-participants.ts');
localnet
  .command('participants')
  .description('how far the participants are, and what they have spent')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet participants'))
  .action(async (options) => (await loadParticipants()).listParticipants(options));
localnet
  .command('tick')
  .description(
    'let time pass for a participant, or for all: nothing else moves it on a quiet ledger',
  )
  .argument('[participant]', 'app-user, app-provider or sv')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet tick', 'localnet tick app-provider'))
  .action(async (participant, options) => (await loadParticipants()).tick(participant, options));
localnet
  .command('traffic')
  .description('say what a participant may spend on the synchronizer')
  .argument('<participant>', 'app-user, app-provider or sv')
  .option('--balance <amount>', 'so much, or unlimited')
  .option('--top-up <amount>', 'so much more')
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
  .description('host a party on a further participant')
  .argument('<party>')
  .argument('<participant>', 'app-user, app-provider or sv')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet host alice::1220ab… app-provider'))
  .action(async (party, participant, options) =>
    (await loadParticipants()).hostParty(party, participant, options),
  );
localnet
  .command('packages')
  .description('the packages of the participants, or what is in one')
  .argument('[package]', 'its name, or how its ID begins')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet packages', 'localnet packages quickstart-licensing'))
  .action(async (wanted, options) =>
    (await import('./commands/localnet-packages.ts')).showPackages(wanted, options),
  );
localnet
  .command('upload')
  .description('upload DARs to all participants')
  .argument('<dar...>', 'their files')
  .option('--if-running', 'upload nothing where none runs, and say so')
  .option(...URL_OPTION)
  .addHelpText('after', examplesOf('localnet upload daml/.daml/dist/app-1.0.0.dar'))
  .action(async (files, options) =>
    (await import('./commands/localnet-packages.ts')).uploadDars(files, options),
  );
localnet
  .command('test')
  .description('run every Daml Script of a DAR, each on a ledger of its own')
  .argument('<dar>', 'its file')
  .addHelpText('after', examplesOf('localnet test daml/.daml/dist/app-tests-1.0.0.dar'))
  .action(async (dar) => (await import('./commands/localnet.ts')).testScripts(dar));
localnet
  .command('run')
  .description('run one Daml Script of a DAR on a ledger of its own, and print its result')
  .argument('<dar>', 'its file')
  .argument('<script>', 'its module and name')
  .option('--input-json <file>', 'the argument of a script that is a function, as JSON')
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
  .description('walk the whole lifecycle on free ports in a temporary folder')
  .option('--watch', 'leave everything up after the walk, until Ctrl-C')
  .option('--subscription', 'a year of monthly renewals in place of the lifecycle')
  .addHelpText('after', examplesOf('demo', 'demo --watch', 'demo --subscription'))
  .action(async (options) => (await import('./commands/demo.ts')).demo(options));
program
  .command('chaos')
  .description(
    'run everything in real processes, kill, cut and wipe it, and check that nothing was lost',
  )
  .option(
    '--seed <number>',
    'the same seed does the same things at the same times; drawn by default',
  )
  .option(
    '--size <size>',
    'small; ha: a PostgreSQL primary with a synchronous standby, a Redis Cluster, two processes of each role',
    'small',
  )
  .option('--minutes <number>', 'how long there are faults', '4')
  .option('--queue <kind>', 'postgres or redis; by default postgres, and redis for the size ha')
  .option('--faults <kinds>', 'only these, comma separated')
  .option('--actors <number>', 'licence lives at a time', '6')
  .option(
    '--crowd <number>',
    'operations that wait for the first install that ends; 20000 by default',
  )
  .option('--json', 'the report as JSON')
  .option('--report <file>', 'write the report there, as JSON')
  .option('--keep', 'keep the folder with logs and data; it is kept when a promise was broken')
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
  .description('ask for an installation as the demo user, straight at the user’s participant')
  .option('--tag <text>', 'metadata entry and command ID suffix')
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
    'print the settings that the browser tests of the reference read from .generated.env',
  )
  .option('-o, --output <file>', 'write them there')
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
  .description('psql, or a small shell, on the query store')
  .option('-c, --command <sql>', 'run one statement and leave')
  .option('--built-in', 'the small shell, even where psql is installed')
  .addHelpText('after', examplesOf('shell', `shell --command "select * from active('License')"`))
  .action(async (options) => (await import('./commands/shell.ts')).shell(options));
program
  .command('doctor')
  .description('look at everything: configuration, database, ledger, queue, operations, invariants')
  .option('--no-replay', 'do not compare the store with what the participants have recorded')
  .option('--since <offset>', 'compare only what is after this offset')
  .option('--audit-copy <file>', 'after a restore: name revoked keys and suspensions that it undid')
  .option('--copied-at <instant>', 'after a restore: count keys that may work again since')
  .option('--deep', 'also ask the participant for its active contracts')
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
  .description('the query store as a copy of the ledger')
  .command('rebuild')
  .description(
    'make it agree with the ledger again; without --yes, only say what that would change',
  )
  .option('-y, --yes', 'do it')
  .option('--wait <seconds>', 'how long the projector may take (default 600)')
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
  .description('what waits to be submitted')
  .command('shards')
  .description('show how many queues share it; with a number, set how many do')
  .argument(
    '[number]',
    'of queues: two or three for each primary of a Redis Cluster, one elsewhere',
  )
  .option('--json', 'as JSON')
  .addHelpText('after', examplesOf('queue shards', 'queue shards 6'))
  .action(async (number, options) => (await import('./commands/queue.ts')).shards(number, options));
const secrets = program
  .command('secrets')
  .description('keys that encrypt webhook secrets and ID tokens in the database');
secrets
  .command('new-key')
  .description('make a key, in the data folder or for TENURE_SECRET_KEYS')
  .addHelpText('after', examplesOf('secrets new-key'))
  .action(async () => (await import('./commands/secrets.ts')).newKey());
secrets
  .command('rotate')
  .description('encrypt all of them with the first key')
  .addHelpText('after', examplesOf('secrets rotate'))
  .action(async () => (await import('./commands/secrets.ts')).rotate());
secrets
  .command('rotate-signing-key')
  .description(
    'sign licence files with a new key; the old one stays public until its last file ends',
  )
  .addHelpText('after', examplesOf('secrets rotate-signing-key'))
  .action(async () => (await import('./commands/secrets.ts')).rotateFileKey());
registerLicenseCommands(program);
const OF_SEVERAL_PARTIES = 'the party of the person, where the subject is known at several';
const privacy = program
  .command('privacy')
  .description('the off-ledger data of a person, by the subject of the tokens');
privacy
  .command('export')
  .description('print the data as JSON')
  .argument('<subject>', 'claim sub, or the name signed in with')
  .option('--party <party>', OF_SEVERAL_PARTIES)
  .addHelpText('after', examplesOf('privacy export c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'))
  .action(async (subject, options) =>
    (await import('./commands/privacy.ts')).exportData(subject, options),
  );
privacy
  .command('erase')
  .description('end the sessions and delete who stands behind the pseudonyms of the audit log')
  .argument('<subject>', 'claim sub, or the name signed in with')
  .option('--party <party>', OF_SEVERAL_PARTIES)
  .option('-y, --yes', 'do it')
  .addHelpText('after', examplesOf('privacy erase c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11 --yes'))
  .action(async (subject, options) =>
    (await import('./commands/privacy.ts')).erase(subject, options),
  );
program
  .command('capture-logs')
  .description('collect all logs in ./logs and follow them')
  .option('--once', 'do not follow')
  .addHelpText('after', examplesOf('capture-logs', 'capture-logs --once'))
  .action(async (options) => (await import('./commands/capture-logs.ts')).captureLogs(options));
program
  .command('clean')
  .description('stop, and delete everything embedded: database, ledger, logs')
  .addHelpText('after', examplesOf('clean'))
  .action(async () => (await import('./commands/clean.ts')).clean());

registerCellCommands(program);
registerApiCommands(program);
