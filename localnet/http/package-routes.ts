import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantApi } from '../ledger/participant.ts';

/** The maximum size of an uploaded DAR, which is a participant's limit for one inbound message. */
export const DAR_BYTES_MAX = 10 * 1024 * 1024;

/** Both spellings of one key: `packageIds` is the JSON API's, and scripts for older versions read `package_ids`. */
interface PackageIds {
  readonly packageIds: readonly string[];
  readonly package_ids: readonly string[];
}

const packageIds = (ids: readonly string[]): PackageIds => ({ packageIds: ids, package_ids: ids });

/**
 * Refuses requests that pages of other machines send. A browser submits forms of any page to any server, and sends the
 * page's origin. Other programs send no origin.
 */
function refuseForeignPages(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers: { origin } }) => {
    if (origin === undefined || LOOPBACK_ORIGIN.test(origin)) return;
    throw new LedgerError('PERMISSION_DENIED', 'Pages of other machines may not send packages');
  });
}

const LOOPBACK_ORIGIN = /^https?:\/\/(([\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/**
 * Adds the admin port's package routes, which need no rights. An upload is either the DAR itself as
 * `application/octet-stream`, or a form with the DAR in the file field `dar`. An upload of known packages succeeds.
 */
export function addPackageRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  refuseForeignPages(app);
  const takeBytes = async (_request: FastifyRequest, body: Buffer) => body;
  const limits = { parseAs: 'buffer', bodyLimit: DAR_BYTES_MAX } as const;
  app.addContentTypeParser('application/octet-stream', limits, takeBytes);
  app.addContentTypeParser('multipart/form-data', limits, takeBytes);

  const { packages } = participant;
  app.get('/v2/packages', async () => packageIds(packages.list().map(({ id }) => id)));
  app.get('/v2/packages/:packageId', async (request, reply) => {
    const { id, archive } = packages.get(packageIdOf(request));
    return reply
      .header('canton-package-hash', id)
      .type('application/octet-stream')
      .send(Buffer.from(archive()));
  });
  app.get('/v2/packages/:packageId/status', async (request) => {
    const status = packages.has(packageIdOf(request)) ? 'REGISTERED' : 'UNSPECIFIED';
    return { packageStatus: `PACKAGE_STATUS_${status}` };
  });
  const upload = async (request: FastifyRequest) => {
    return packageIds([await packages.uploadDar(await darOf(request))]);
  };
  app.post('/v2/packages', { bodyLimit: DAR_BYTES_MAX }, upload);
  app.post('/v2/dars', { bodyLimit: DAR_BYTES_MAX }, upload);
  app.post('/v2/dars/validate', { bodyLimit: DAR_BYTES_MAX }, async (request) => {
    await packages.validateDar(await darOf(request));
    return {};
  });
}

const packageIdOf = (request: FastifyRequest): string =>
  (request.params as { readonly packageId: string }).packageId;

async function darOf(request: FastifyRequest): Promise<Uint8Array> {
  const { body, headers } = request;
  if (!(body instanceof Uint8Array)) {
    throw new LedgerError(
      'INVALID_ARGUMENT',
      'Send the DAR as application/octet-stream or in form field dar',
    );
  }
  const contentType = headers['content-type'] ?? '';
  if (!contentType.toLowerCase().startsWith('multipart/form-data')) return body;
  const dar = (await readForm(body, contentType)).get('dar');
  if (dar === null || typeof dar === 'string') {
    throw new LedgerError('INVALID_ARGUMENT', 'The form has no file field dar');
  }
  return new Uint8Array(await dar.arrayBuffer());
}

async function readForm(body: Uint8Array, contentType: string): Promise<FormData> {
  try {
    // The form is parsed by the web platform's own parser, so no library is needed.
    const copy = new Uint8Array(body);
    return await new Response(copy, { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw new LedgerError(
      'INVALID_ARGUMENT',
      `The form cannot be read: ${(error as Error).message}`,
    );
  }
}
