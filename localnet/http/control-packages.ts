import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { withDarDefect } from '../lf/errors.ts';
import { compareVersions } from '../lf/versions.ts';
import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { DAR_BYTES_MAX } from './package-routes.ts';
import { Refusal } from './plain-errors.ts';

/* Routes for packages of all participants: lists, contents, and uploads to all participants at once. */

const text = { type: 'string' } as const;
const listOf = (items: object) => ({ type: 'array', items }) as const;
const NAMED = {
  type: 'object',
  properties: { name: text },
  required: ['name'],
} as const;
const LISTED = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    version: text,
    runs: {
      enum: ['native', 'engine'],
      description: "what runs commands on it: LocalNet's own version, or the engine",
    },
    participants: listOf({ enum: [...PARTICIPANT_NAMES] }),
  },
  required: ['id', 'name', 'version', 'runs', 'participants'],
} as const;

export const PACKAGE_DEFINITIONS = {
  packages: {
    title: 'All packages, each with the participants that have it',
    ...listOf(LISTED),
  },
  uploaded: { title: 'The main package of an uploaded DAR', ...LISTED },
  package: {
    title: 'What is in a package; types are text',
    type: 'object',
    properties: {
      id: text,
      name: text,
      version: text,
      languageVersion: text,
      modules: listOf({
        ...NAMED,
        properties: {
          name: text,
          templates: listOf(NAMED),
          interfaces: listOf(NAMED),
          types: listOf(NAMED),
        },
      }),
    },
    required: ['id', 'name', 'version', 'modules'],
  },
} as const;

const ref = (name: keyof typeof PACKAGE_DEFINITIONS | 'error') => ({ $ref: `#/$defs/${name}` });

export const PACKAGE_OPERATIONS = [
  { method: 'GET', path: '/control/packages', answer: ref('packages') },
  {
    method: 'POST',
    path: '/control/packages',
    body: { title: 'A DAR, as application/octet-stream' },
    answer: ref('uploaded'),
    refusals: { 400: ref('error') },
  },
  {
    method: 'GET',
    path: '/control/packages/{package}',
    answer: ref('package'),
    refusals: { 404: ref('error') },
  },
] as const;

export function addControlPackageRoutes(scope: FastifyInstance, current: () => Ledger): void {
  const limits = { parseAs: 'buffer', bodyLimit: DAR_BYTES_MAX } as const;
  const takeBytes = async (_request: FastifyRequest, body: Buffer) => body;
  scope.addContentTypeParser('application/octet-stream', limits, takeBytes);
  scope.get('/control/packages', async () => listAll(current()));
  scope.post('/control/packages', { bodyLimit: DAR_BYTES_MAX }, async ({ body }) => {
    if (!(body instanceof Uint8Array)) {
      throw new Refusal(400, 'Send the DAR as application/octet-stream');
    }
    return uploadToAll(current(), body);
  });
  scope.get('/control/packages/:package', async (request) => {
    const { package: wanted } = request.params as { readonly package: string };
    const ledger = current();
    const found = find(listAll(ledger), wanted);
    const [host] = found?.participants ?? [];
    if (found === undefined || host === undefined) throw new Refusal(404, `no package ${wanted}`);
    return ledger.participants[host].packages.describe(found.id);
  });
}

/**
 * Uploads a DAR to all participants, and returns its main package.
 *
 * @throws Refusal
 */
export async function uploadToAll(ledger: Ledger, dar: Uint8Array): Promise<ListedPackage> {
  const taken = new Map<ParticipantName, string>();
  for (const name of ledger.participantNames) {
    taken.set(name, await upload(ledger, name, dar, [...taken.keys()]));
  }
  const ids = new Set(taken.values());
  const uploaded = listAll(ledger).find(({ id }) => ids.has(id));
  if (uploaded === undefined) throw new TypeError('an uploaded package is not listed');
  return uploaded;
}

/**
 * Uploads a DAR to one participant.
 *
 * @param taken the participants to which the DAR was already uploaded. They keep it if this upload fails
 * @throws Refusal with all known details, because the caller cannot see the logs
 */
async function upload(
  ledger: Ledger,
  name: ParticipantName,
  dar: Uint8Array,
  taken: readonly ParticipantName[],
): Promise<string> {
  try {
    return await ledger.participants[name].packages.uploadDar(dar);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const left = taken.length === 0 ? '' : `; it stays with ${taken.join(' and ')}`;
    throw new Refusal(400, `${name}: ${withDarDefect(error)}${left}`);
  }
}

/** Finds a package by its name or by the beginning of its ID. Of several versions, the latest is returned. */
function find(packages: readonly ListedPackage[], wanted: string) {
  const byName = packages.filter(({ name }) => name === wanted);
  const fitting = byName.length > 0 ? byName : packages.filter(({ id }) => id.startsWith(wanted));
  return fitting.toSorted((a, b) => compareVersions(a.version, b.version)).at(-1);
}

type ListedPackage = ReturnType<typeof listAll>[number];

function listAll(ledger: Ledger) {
  const all = ledger.participantNames.flatMap((participant) =>
    ledger.participants[participant].packages.list().map((known) => ({ participant, known })),
  );
  return Array.from(Map.groupBy(all, ({ known }) => known.id).values(), (entries) => {
    const [first] = entries;
    if (first === undefined) throw new TypeError('a group without entries');
    const { id, name, version, runs } = first.known;
    return { id, name, version, runs, participants: entries.map(({ participant }) => participant) };
  });
}
