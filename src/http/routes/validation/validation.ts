import type { FastifyReply, FastifyRequest } from 'fastify';
import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { plain, problems } from '../../kit/responses.ts';
import { ContractParams } from '../../schemas.ts';
import { sendVerdict } from './answer.ts';
import { registerFiles } from './files.ts';
import { registerLicenseKeys } from './keys.ts';
import { licenseIn } from './license-in.ts';
import { registerLicenseMachines } from './machines.ts';
import { questionFrom, ValidationQuery } from './question.ts';

function registerValidate(app: HttpApp, deps: HttpDeps): void {
  app.get(
    contractRoute(LICENSES.path, '/validate'),
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'validateLicense',
        summary: 'Whether a licence is valid, as one of its parties',
        tags: ['validation'],
        params: ContractParams,
        querystring: ValidationQuery,
        response: {
          200: plain('Validation', 'The verdict, also where the licence is not valid'),
          ...problems(400, 401, 404, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const question = questionFrom(request.query as Readonly<Record<string, unknown>>);
      const facts = await licenseIn(deps, request, reply, question.fingerprint);
      return sendVerdict(reply, facts, question, deps.ledgerClock.nowMs());
    },
  );
}

/** Routes by which the parties of a licence validate it, and manage its keys, machines and files. */
export function registerValidation(app: HttpApp, deps: HttpDeps): void {
  registerValidate(app, deps);
  registerLicenseKeys(app, deps);
  registerLicenseMachines(app, deps);
  registerFiles(app, deps);
}
