import { open, rm } from 'node:fs/promises';
import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';

/**
 * Puts the secret of an answer into a new file that only its owner reads, which is there before anything is asked: a
 * secret that is shown once must not be lost, nor be left in the scrollback of a terminal.
 *
 * @returns the answer without it
 * @throws CommandError when the file is there already or cannot be made; nothing was asked then
 */
export async function keepSecret(file: unknown, ask: () => Promise<string>): Promise<string> {
  const path = String(file);
  const made = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandError(EXIT.usage, `--secret-file must be a new file: ${lineOf(error)}`);
  });
  try {
    const { secret: _kept, ...told } = await written(await ask(), (text) => made.writeFile(text));
    return JSON.stringify(told);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await made.close();
  }
}

async function written(
  text: string,
  write: (secret: string) => Promise<void>,
): Promise<JsonRecord> {
  const body = JSON.parse(text) as JsonRecord;
  const secret = textAt(body, 'secret');
  if (secret === undefined) throw new CommandError(EXIT.cannot, 'the API’s answer has no secret');
  await write(`${secret}\n`);
  return body;
}
