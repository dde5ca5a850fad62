import type { Command } from 'commander';
import { examplesOf } from './examples.ts';

/**
 * Registers the commands for licence files, which need no API. Commands for licences and keys are in api/licenses.ts.
 */
export function registerLicenseCommands(program: Command): void {
  program
    .command('verify')
    .description('verify a licence file without a network, and print its contents')
    .argument('<file>', 'the licence file')
    .requiredOption('--keys <file>', 'the public keys, in the form of /.well-known/jwks.json')
    .option('--machine <fingerprint>', 'the machine, if the file is bound to one')
    .addHelpText('after', examplesOf('verify', 'verify licence.jws --keys jwks.json'))
    .action(async (file, options) => (await import('./commands/verify.ts')).verify(file, options));
}
