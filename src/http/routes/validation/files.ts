import { FILE_MEDIA_TYPE, fileClaims, fileEndMs } from '../../../domain/license-file.ts';
import { judgeLicense } from '../../../domain/license-validation.ts';
import { fail } from '../../../domain/problems.ts';
import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { lastingIo, readIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { route } from '../../kit/route.ts';
import { ContractParams } from '../../schemas.ts';
import { licenseIn } from './license-in.ts';
import { FileBody } from './validation-schemas.ts';

const FILE = {
  description: 'The file: a compact JWS (EdDSA)',
  content: {
    [FILE_MEDIA_TYPE]: { schema: { type: 'string', examples: ['eyJhbGciOiJFZERTQSIs….….…'] } },
  },
};

/** Registers the route of licence files, which prove a valid licence to a program without a network. */
export function registerFiles(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', contractRoute(LICENSES.path, '/files'), {
    operationId: 'createLicenseFile',
    summary: 'A signed file with which a program works without a network',
    description:
      'It ends with the licence, trial and grace included, and after the offline time of the plan at the latest (7 days without a plan). With `machine`, that machine must hold a seat.',
    tag: 'validation',
    params: ContractParams,
    needsBody: false,
    body: FileBody,
    reply: { 201: FILE },
    problems: [400, 401, 404, 409, 413, 415, 503],
    produces: FILE_MEDIA_TYPE,
    harmless: 'a file changes nothing',
    handle: async (request, reply) => {
      const { machine = null } = request.body;
      const facts = await licenseIn(deps, request, reply, machine);
      const nowMs = deps.ledgerClock.nowMs();
      const verdict = judgeLicense(facts, { fingerprint: machine, entitlements: [] }, nowMs);
      if (!verdict.valid) {
        const { code } = verdict;
        const extra = { validation: code };
        return fail('LICENSE_NOT_VALID', `a validation answers ${code}`, { extra });
      }
      const { reads, files } = deps.validation;
      const updateId = await reads.updateOf(facts.contractId, readIo(reply));
      const claims = fileClaims(facts, verdict, { machine, updateId }, nowMs);
      const endsAtMs = fileEndMs(facts, verdict, nowMs);
      const file = await files.sign(claims, endsAtMs, lastingIo(request));
      return reply.code(201).type(FILE_MEDIA_TYPE).send(file);
    },
  });
}
