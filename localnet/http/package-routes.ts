import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantApi } from '../ledger/participant.ts';

/** The participant's own limit for one inbound message. */
const DAR_BYTES_MAX = 10 * 1024 * 1024;

/**
 * Both spellings: `packageIds` is the JSON API's, `package_ids` is what scripts of older versions read.
 */
interface PackageIds {
  readonly packageIds: readonly string[];
  readonly package_ids: readonly string[];
}

const packageIds = (ids: readonly string[]): PackageIds => ({ packageIds: ids, package_ids: ids });

export interface PackageRouteGuards {
  /** Throws unless the caller may see packages. */
  readonly mayList: (request: FastifyRequest) => void;
  /** Throws unless the caller may upload. */
  readonly mayUpload: (request: FastifyRequest) => void;
}

/**
 * `GET /v2/packages` and `POST /v2/packages`. An upload is the DAR itself as `application/octet-stream`, or a form
 * with the DAR in file field `dar`. Uploading a package that is already there succeeds.
 */
export function addPackageRoutes(
  app: FastifyInstance,
  participant: ParticipantApi,
  { mayList, mayUpload }: PackageRouteGuards,
): void {
  const takeBytes = async (_request: FastifyRequest, body: Buffer) => body;
  const limits = { parseAs: 'buffer', bodyLimit: DAR_BYTES_MAX } as const;
  app.addContentTypeParser('application/octet-stream', limits, takeBytes);
  app.addContentTypeParser('multipart/form-data', limits, takeBytes);

  app.get('/v2/packages', async (request) => {
    mayList(request);
    return packageIds(participant.packages.list().map(({ definition }) => definition.id));
  });
  app.post('/v2/packages', { bodyLimit: DAR_BYTES_MAX }, async (request) => {
    mayUpload(request);
    const { id } = participant.packages.uploadDar(await darOf(request));
    return packageIds([id]);
  });
}

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
    // The web platform's own reader of forms, so that none has to be installed.
    const copy = new Uint8Array(body);
    return await new Response(copy, { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw new LedgerError(
      'INVALID_ARGUMENT',
      `The form cannot be read: ${(error as Error).message}`,
    );
  }
}
