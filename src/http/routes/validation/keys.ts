import { randomUUID } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { LicenseKey } from '../../../app/ports/validation.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { hashOfKey, newLicenseKey } from '../../../domain/license-key.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { isStorable } from '../../kit/json-body.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo, readIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { listOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { ContractParams } from '../../schemas.ts';
import { licenseIn } from './license-in.ts';
import { KeyBody } from './validation-schemas.ts';

const TAG = 'validation';
const PATH = contractRoute(LICENSES.path, '/keys');
const UNNAMED = 'key';

const keyBody = ({ byParty, ...key }: LicenseKey): JsonRecord => ({ ...key, createdBy: byParty });

function registerList(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', PATH, {
    operationId: 'listLicenseKeys',
    summary: 'The keys of a licence, without the keys themselves',
    tag: TAG,
    params: ContractParams,
    reply: { 200: listOf('LicenseKey', 'The oldest first, revoked keys included') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const { lifecycleId } = await licenseIn(deps, request, reply);
      const keys = await deps.validation.keys.list(lifecycleId, readIo(reply));
      return reply.send(keys.map(keyBody));
    },
  });
}

function registerCreate(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', PATH, {
    operationId: 'createLicenseKey',
    summary: 'A key with which a program asks whether the licence is valid',
    description:
      'A program sends it as `Authorization: License tlk_…`. It allows validate, activate, heartbeat and release for this licence alone, and outlives renewals.',
    tag: TAG,
    params: ContractParams,
    needsBody: false,
    body: KeyBody,
    reply: { 201: plain('LicenseKey', 'With the key, which is shown this once') },
    problems: [400, 401, 404, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const { lifecycleId, isEnded } = await licenseIn(deps, request, reply);
      if (isEnded) fail('LIFECYCLE_ENDED', 'the licence has ended');
      const { name = UNNAMED } = request.body;
      const secret = newLicenseKey();
      const id = `key_${randomUUID().replaceAll('-', '')}`;
      const added = await deps.validation.keys.add(
        { id, licenseId: lifecycleId, name },
        hashOfKey(secret),
        callerOf(request),
        lastingIo(request),
      );
      if (added === null) {
        const { licenseKeysMax: most, licenseKeysKeptMax: kept } = LIMITS;
        return fail(
          'LICENSE_KEYS_LIMITED',
          `a licence has at most ${most} keys that are not revoked, and ${kept} over its life`,
        );
      }
      return reply.code(201).send({ ...keyBody(added), secret });
    },
  });
}

function registerRevoke(app: HttpApp, deps: HttpDeps): void {
  route(app, 'DELETE', `${PATH}/:keyId`, {
    operationId: 'revokeLicenseKey',
    summary: 'Revoke a key of a licence, as either party',
    tag: TAG,
    params: Type.Object({ ...ContractParams.properties, keyId: Type.String() }),
    reply: { 204: { description: 'The key is revoked', type: 'null' } },
    problems: [400, 401, 404, 503],
    produces: null,
    handle: async (request, reply) => {
      const { keyId } = request.params;
      const { lifecycleId } = await licenseIn(deps, request, reply);
      const { keys } = deps.validation;
      const isFound =
        isStorable(keyId) &&
        (await keys.revoke(lifecycleId, keyId, callerOf(request), lastingIo(request)));
      if (!isFound) fail('NOT_FOUND', 'no key of this licence has this id');
      return reply.code(204).send();
    },
  });
}

/** Registers the routes by which the parties of a licence manage its keys. */
export function registerLicenseKeys(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerCreate(app, deps);
  registerRevoke(app, deps);
}
