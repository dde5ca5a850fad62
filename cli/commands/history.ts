import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import type { Api, Answer } from '../api/client.ts';
import type { Column } from '../api/description.ts';
import { LICENSES } from '../api/licenses.ts';
import type { Flags } from '../api/run.ts';
import { apiOf, tell } from '../api/run.ts';
import { CommandError, EXIT } from '../exit.ts';

/** The resource of a lifecycle, by the first word of its ID. */
const PLACES = {
  license: 'licenses',
  install: 'app-installs',
  'install-request': 'app-install-requests',
  renewal: 'license-renewal-requests',
} as const;

const LIFECYCLE_ID = /^(license|install-request|install|renewal)-[0-9a-f]+$/u;
const CONTRACT_ID = /^00[0-9a-f]+$/u;

const COLUMNS: readonly Column[] | undefined = LICENSES.commands.find(({ usage }) =>
  usage.startsWith('history'),
)?.columns;

async function unlessNotFound<Found>(asked: Promise<Found>): Promise<Found | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}

/** Returns the resources in which an ID may be found, judged by its form. A command ID may have any form. */
export function placesOf(id: string): readonly string[] {
  const kind = LIFECYCLE_ID.exec(id)?.[1] as keyof typeof PLACES | undefined;
  if (kind !== undefined) return [PLACES[kind]];
  return CONTRACT_ID.test(id) ? Object.values(PLACES) : [];
}

async function operationOf(api: Api, commandId: string): Promise<Answer | null> {
  const query = new URLSearchParams({ commandId });
  const own = await unlessNotFound(api.call({ method: 'GET', path: '/operations', query }));
  if (own !== null) return own;
  // Reads an operation of another party from the desk, which an operator may do.
  const at = { method: 'GET', path: '/ops/operations', query } as const;
  const found = await unlessNotFound(api.call(at));
  const [first] = found === null ? [] : (JSON.parse(found.text) as readonly JsonRecord[]);
  const id = first === undefined ? undefined : textAt(first, 'id');
  return id === undefined ? null : api.call({ method: 'GET', path: `/ops/operations/${id}` });
}

/**
 * Prints the history of a lifecycle, by its ID or any of its contract IDs, or the result of an operation, by its
 * command ID.
 */
export async function history(id: string, flags: Flags): Promise<void> {
  const api = await apiOf(flags);
  for (const place of placesOf(id)) {
    const path = `/${place}/${encodeURIComponent(id)}/history`;
    const asked = api.list({ method: 'GET', path }, Number.MAX_SAFE_INTEGER);
    const found = await unlessNotFound(asked);
    if (found === null) continue;
    const shown = COLUMNS === undefined ? {} : { columns: COLUMNS };
    return tell(found.texts, flags, shown);
  }
  const operation = await operationOf(api, id);
  if (operation !== null) return tell([operation.text], flags);
  throw new CommandError(EXIT.notFound, `no lifecycle, contract or operation has the ID ${id}`);
}
