import type { Json } from '../../src/domain/json.ts';
import type { Call } from '../api/client.ts';
import type { Flags } from '../api/run.ts';
import { apiOf, tellAnswer } from '../api/run.ts';
import { CommandError, EXIT } from '../exit.ts';

/** Parses a body that a person has typed. @throws CommandError if the text is not JSON */
function bodyIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new CommandError(EXIT.usage, '--data must be JSON, such as \'{"meta": {"data": {}}}\'');
  }
}

/**
 * Makes one call with a method and a path from the API document, and shows the answer. For calls that have no command
 * of their own.
 *
 * @param path the path below the API's address, with its query
 * @throws CommandError
 */
export async function call(method: Call['method'], path: string, flags: Flags): Promise<void> {
  if (!path.startsWith('/')) {
    throw new CommandError(EXIT.usage, 'the path must begin with a slash, such as /licenses');
  }
  const { data } = flags;
  const body = typeof data === 'string' ? { body: bodyIn(data) } : {};
  const api = await apiOf(flags);
  tellAnswer(await api.call({ method, path, ...body }), flags);
}
