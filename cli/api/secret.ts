import { open, rm } from 'node:fs/promises';
import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';

/**
 * Writes the secret of an answer to a new file that only its owner can read. The file is created before the call is
 * made, so that a secret, which is shown only once, is neither lost nor left in the scrollback of a terminal.
 *
 * @returns the answer without the secret
 * @throws CommandError if the file already exists or cannot be created; then no call was made
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
  if (secret === undefined)
    throw new CommandError(EXIT.cannot, 'the answer of the API contains no secret');
  await write(`${secret}\n`);
  return body;
}
