import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { ContractParams } from '../../schemas.ts';
import { sendVerdict } from './answer.ts';
import { registerFiles } from './files.ts';
import { registerLicenseKeys } from './keys.ts';
import { licenseIn } from './license-in.ts';
import { registerLicenseMachines } from './machines.ts';
import { questionFrom, ValidationQuery } from './question.ts';

function registerValidate(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', contractRoute(LICENSES.path, '/validate'), {
    operationId: 'validateLicense',
    summary: 'Whether a licence is valid, as one of its parties',
    tag: 'validation',
    params: ContractParams,
    query: ValidationQuery,
    reply: { 200: plain('Validation', 'The verdict, also where the licence is not valid') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const question = questionFrom(request.query);
      const facts = await licenseIn(deps, request, reply, question.fingerprint);
      return sendVerdict(reply, facts, question, deps.ledgerClock.nowMs());
    },
  });
}

/** Registers the routes by which the parties of a licence validate it, and manage its keys, machines and files. */
export function registerValidation(app: HttpApp, deps: HttpDeps): void {
  registerValidate(app, deps);
  registerLicenseKeys(app, deps);
  registerLicenseMachines(app, deps);
  registerFiles(app, deps);
}
