import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import {
  registerTenant,
  removeTenant,
  requireRemovable,
} from '../../../app/callers/register-tenant.ts';
import type { Confirmation, IrreversibleAct } from '../../../app/desk/confirm-act.ts';
import { confirmAct, previewAct } from '../../../app/desk/confirm-act.ts';
import { invalid } from '../../kit/invalid.ts';
import type { Raw } from '../../kit/list-query.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { COUNT, PREVIEW_ONLY, TOKEN, sendActPreview } from '../../kit/confirmation.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { Tenant } from '../../../domain/tenant.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import { isStorable } from '../../kit/json-body.ts';
import type { Members } from '../../kit/filter-query.ts';
import { sortOf } from '../../kit/filter-query.ts';
import type { Asked } from '../../kit/paged-list.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { TenantRegistrationCheck } from './caller-schemas.ts';
import type { TenantRegistrationRequest } from './caller-schemas.ts';

const TAG = 'tenant-registrations';
const PATH = '/admin/tenant-registrations';

/** Requires a caller of the provider's party who comes from the provider's own authorization server. */
async function requireProvider(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('provider')) return;
  fail('FORBIDDEN', 'the provider alone administers tenants');
}

/** A tenant with its members in the order of the reference application, for both the list and the create. */
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

/** The answer to a registration, as it was requested. It lacks `internal`, which callers cannot decide. */
const createdBody = (asked: TenantRegistrationRequest): JsonRecord => ({
  tenantId: asked.tenantId ?? null,
  partyId: asked.partyId ?? null,
  walletUrl: asked.walletUrl ?? null,
  clientId: asked.clientId ?? null,
  issuerUrl: asked.issuerUrl ?? null,
  internal: null,
  users: asked.users ?? [],
});

interface ListedTenant {
  readonly tenant: Tenant;
  readonly hosted: boolean | null;
}

/** The key by which tenants are ordered: the provider's own tenants come first. */
const keyOf = ({ internal, tenantId }: Tenant): readonly string[] => [
  internal ? '0' : '1',
  tenantId,
];

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
function readKey(cursor: string): string {
  const [rank, tenantId] = parsed(cursor);
  const isOurs = (rank === '0' || rank === '1') && typeof tenantId === 'string';
  return isOurs ? `${rank}${tenantId}` : foreign();
}

/** Returns a page of the tenants. There are few, so all of them are read from memory. */
async function tenantsOf(
  deps: HttpDeps,
  { page: { after = '', limit }, io }: Pick<Asked<Members, string>, 'page' | 'io'>,
): Promise<readonly ListedTenant[]> {
  const keyed = (await deps.tenants.list(io)).map((tenant) => ({
    tenant,
    key: keyOf(tenant).join(''),
  }));
  const found = keyed
    .filter(({ key }) => key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ tenant }) => tenant);
  const hosted = await deps.partyDirectory.hosted(
    found.map(({ party }) => party),
    { ...io, deadlineMs: LIMITS.hostedAnswerMs },
  );
  return found.map((tenant) => ({ tenant, hosted: hosted.get(tenant.party) ?? null }));
}

/** Registers the list of tenants. It is complete without `limit`, as clients of the reference application expect. */
const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerPagedList(app, deps, {
    path: PATH,
    tag: TAG,
    operationId: 'listTenantRegistrations',
    summary: 'All tenants',
    inOrder: 'The provider’s own first, then by tenantId',
    entry: 'TenantRegistration',
    filter: { sort: sortOf('tenantId') },
    pageSize: null,
    readKey,
    keyOf: ({ tenant }: ListedTenant) => keyOf(tenant),
    bodyOf: ({ tenant, hosted }: ListedTenant) => registrationBody(tenant, hosted),
    find: (asked) => tenantsOf(deps, asked),
  });

function registerCreate(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', PATH, {
    operationId: 'createTenantRegistration',
    summary: 'Register a tenant',
    description:
      'Its issuer is asked about itself before anything is stored. What is needed depends on how people log in here.',
    tag: TAG,
    body: TenantRegistrationCheck,
    reply: { 201: plain('CreatedTenantRegistration', 'Registered') },
    problems: [400, 401, 403, 409, 413, 415, 422, 503],
    handle: async (request, reply) => {
      const asked = request.body;
      await registerTenant(asked, deps, callerOf(request), readIo(reply));
      return reply.code(201).send(createdBody(asked));
    },
  });
}

const TenantParams = Type.Object({ tenantId: Type.String() });

function tenantIn(request: FastifyRequest): string {
  const { tenantId } = request.params as { readonly tenantId: string };
  if (!isStorable(tenantId)) {
    fail('REQUEST_INVALID', 'the tenantId in the path holds a NUL character', {
      extra: { field: 'tenantId' },
    });
  }
  return tenantId;
}

const removal = (tenantId: string): IrreversibleAct => ({
  act: 'remove-tenant',
  on: { tenantId },
});

function registerPreviewDelete(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', `${PATH}/:tenantId/preview-delete`, {
    operationId: 'previewDeleteTenantRegistration',
    summary: 'Preview the end of a tenant’s registration',
    description: 'Nothing is done. The token is good for one DELETE of this tenant.',
    tag: TAG,
    params: TenantParams,
    reply: { 200: plain('ActPreview', 'What ends') },
    problems: [400, 401, 403, 404, 409, 503],
    harmless: PREVIEW_ONLY,
    handle: async (request, reply) => {
      const tenantId = tenantIn(request);
      const io = readIo(reply);
      await requireRemovable(tenantId, deps.tenants, io);
      const { sessions, webhooks, bulkActs } = await deps.previews.endsWith(tenantId, io);
      const count = sessions + webhooks + bulkActs;
      const by = callerOf(request);
      const preview = await previewAct(deps.previews, by, removal(tenantId), count, io);
      const shows = [
        `Nobody of ${tenantId} can sign in any more, and its issuer is not trusted any more.`,
        `${sessions} sessions, ${webhooks} webhooks and ${bulkActs} bulk actions end with it.`,
      ];
      return sendActPreview(deps, reply, { ...preview, count, shows });
    },
  });
}

const DeleteQuery = Type.Object({
  token: Type.Optional(TOKEN),
  count: Type.Optional(COUNT),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: HTTP_LIMITS.reasonCharsMax,
      description: 'For the audit log',
      examples: ['the customer has left'],
    }),
  ),
});

/** Reads the reason and the confirmation from a query string. @throws ProblemError `REQUEST_INVALID` */
function confirmationIn({ token, count, reason }: Raw): {
  readonly reason: string;
  readonly confirmation: Confirmation | undefined;
} {
  const why = reason ?? '';
  if (typeof why !== 'string' || why.length > HTTP_LIMITS.reasonCharsMax || !isStorable(why)) {
    return invalid('reason', 'must be one text for the audit log');
  }
  if (typeof token !== 'string' || typeof count !== 'string' || why === '') {
    return { reason: why, confirmation: undefined };
  }
  if (!/^\d{1,9}$/u.test(count)) return invalid('count', 'must be the count of the preview');
  return { reason: why, confirmation: { token, count: Number(count) } };
}

function registerDelete(app: HttpApp, deps: HttpDeps): void {
  route(app, 'DELETE', `${PATH}/:tenantId`, {
    operationId: 'deleteTenantRegistration',
    summary: 'End a tenant’s registration, and the trust in its issuer',
    description: 'Needs the token and the count of a preview, and a reason.',
    tag: TAG,
    params: TenantParams,
    query: DeleteQuery,
    reply: { 204: { description: 'Ended', type: 'null' } },
    problems: [400, 401, 403, 404, 409, 428, 503],
    produces: null,
    handle: async (request, reply) => {
      const tenantId = tenantIn(request);
      const { reason, confirmation } = confirmationIn(request.query);
      const io = readIo(reply);
      await requireRemovable(tenantId, deps.tenants, io);
      const by = callerOf(request);
      const where = `POST ${PATH}/${tenantId}/preview-delete, then give token, count and reason`;
      await confirmAct(deps.previews, by, removal(tenantId), confirmation, where, io);
      await removeTenant(tenantId, deps.tenants, { by, reason }, io);
      return reply.code(204).send();
    },
  });
}

/** Registers routes by which the provider manages the tenants that may call. */
export async function registerTenantRegistrations(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (admin: HttpApp) => {
    needPermission(admin, 'admin');
    admin.addHook('onRequest', requireProvider);
    registerList(admin, deps);
    registerCreate(admin, deps);
    registerPreviewDelete(admin, deps);
    registerDelete(admin, deps);
  });
}
