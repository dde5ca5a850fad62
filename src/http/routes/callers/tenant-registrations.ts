import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { registerTenant, removeTenant } from '../../../app/callers/register-tenant.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { Tenant } from '../../../domain/tenant.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { listOf, plain, problems } from '../../kit/responses.ts';
import { isStorable } from '../../kit/json-body.ts';
import { fillBody } from '../lifecycles/writes.ts';
import { TenantRegistrationCheck } from './caller-schemas.ts';
import type { TenantRegistrationRequest } from './caller-schemas.ts';

const TAG = 'tenant-registrations';
const PATH = '/admin/tenant-registrations';

/** Who the provider is, by party and by its own authorization server, administers. */
async function requireProvider(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('provider')) return;
  fail('FORBIDDEN', 'the provider alone administers tenants');
}

/** In the reference's order of members, which its list and its create share. */
const registrationBody = (tenant: Tenant, hosted: boolean | null): JsonRecord => ({
  tenantId: tenant.tenantId,
  partyId: tenant.party,
  walletUrl: tenant.walletUrl,
  clientId: tenant.clientId,
  issuerUrl: tenant.issuerUrl,
  internal: tenant.internal,
  users: tenant.users,
  hosted,
});

/** What was asked for, as it was asked for; whether a tenant is internal is not the caller's to say. */
const createdBody = (asked: TenantRegistrationRequest): JsonRecord => ({
  tenantId: asked.tenantId ?? null,
  partyId: asked.partyId ?? null,
  walletUrl: asked.walletUrl ?? null,
  clientId: asked.clientId ?? null,
  issuerUrl: asked.issuerUrl ?? null,
  internal: null,
  users: asked.users ?? [],
});

function registerList(app: HttpApp, deps: HttpDeps): void {
  app.get(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listTenantRegistrations',
        summary: 'All tenants, the provider’s own first',
        tags: [TAG],
        response: {
          200: listOf('TenantRegistration', 'The tenants'),
          ...problems(401, 403, 406, 503),
        },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) => {
      const io = readIo(reply);
      const tenants = await deps.tenants.list(io);
      const hosted = await deps.partyDirectory.hosted(
        tenants.map(({ party }) => party),
        { ...io, deadlineMs: LIMITS.hostedAnswerMs },
      );
      return reply.send(
        tenants.map((tenant) => registrationBody(tenant, hosted.get(tenant.party) ?? null)),
      );
    },
  );
}

function registerCreate(app: HttpApp, deps: HttpDeps): void {
  app.post(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'createTenantRegistration',
        summary: 'Register a tenant',
        description:
          'Its issuer is asked about itself before anything is stored. What is needed depends on how people log in here.',
        tags: [TAG],
        'x-body-required': true,
        body: TenantRegistrationCheck,
        response: {
          201: plain('CreatedTenantRegistration', 'Registered'),
          ...problems(400, 401, 403, 406, 409, 413, 415, 422, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const asked = request.body as TenantRegistrationRequest;
      await registerTenant(asked, deps, callerOf(request), readIo(reply));
      return reply.code(201).send(createdBody(asked));
    },
  );
}

function registerDelete(app: HttpApp, deps: HttpDeps): void {
  app.delete(
    `${PATH}/:tenantId`,
    {
      config: { produces: null },
      schema: {
        operationId: 'deleteTenantRegistration',
        summary: 'End a tenant’s registration, and the trust in its issuer',
        tags: [TAG],
        params: Type.Object({ tenantId: Type.String() }),
        response: {
          204: { description: 'Ended', type: 'null' },
          ...problems(400, 401, 403, 404, 409, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { tenantId } = request.params as { readonly tenantId: string };
      if (!isStorable(tenantId)) {
        fail('REQUEST_INVALID', 'the tenantId in the path holds a NUL character', {
          extra: { field: 'tenantId' },
        });
      }
      await removeTenant(tenantId, deps.tenants, callerOf(request), readIo(reply));
      return reply.code(204).send();
    },
  );
}

/** Who may call: the provider's to say. */
export async function registerTenantRegistrations(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (admin: HttpApp) => {
    admin.addHook('onRequest', requireProvider);
    registerList(admin, deps);
    registerCreate(admin, deps);
    registerDelete(admin, deps);
  });
}
