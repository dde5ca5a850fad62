import addCompletion from '@bomb.sh/tab/commander';
import { CommanderError } from 'commander';
import { CommandError, EXIT } from './exit.ts';
import { complain, lineOf } from './output.ts';
import { program } from './program.ts';

addCompletion(program, { completionCommandName: 'completion' });

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already printed the error and the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else complain(lineOf(error), error instanceof CommandError ? error.exitCode : EXIT.cannot);
}
