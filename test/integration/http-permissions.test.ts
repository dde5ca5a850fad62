import { describe, expect, test } from 'vitest';
import type { Permission } from '../../src/domain/caller.ts';
import { PERMISSIONS } from '../../src/domain/caller.ts';
import { forFile } from '../kit/for-file.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { ROUTE_PERMISSIONS } from '../kit/route-permissions.ts';

/* Every route with a caller, called by callers with each permission. */

interface Operation {
  readonly security?: readonly unknown[];
  readonly 'x-permission'?: Permission;
}

const api = await forFile(startApi());
const document = (await api.app.inject({ method: 'GET', url: '/openapi.json' })).json<{
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}>();
const shown = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security === undefined)
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation['x-permission']]),
  ),
);
const expected = new Map(
  PERMISSIONS.flatMap((needs) => ROUTE_PERMISSIONS[needs].map((name) => [name, needs] as const)),
);
const routes = [...expected].map(([name, needs]) => {
  const [method = '', path = ''] = name.split(' ');
  return { method, path, needs };
});

const bearer = async (claims: object) =>
  `Bearer ${await api.issuers.provider.token({ claims: { ...claims } })}`;

/** Sends a request whose body and parameters are invalid, so that it can pass no check except that of the caller. */
async function refusalOf(method: string, path: string, authorization?: string) {
  const reply = await api.app.inject({
    method: method as 'GET',
    url: `${path.replaceAll(/\{\w+\}/gu, 'none')}?after=nothing`,
    headers: { prefer: 'respond-async', ...(authorization === undefined ? {} : { authorization }) },
  });
  if (reply.statusCode === 401) return 'nobody';
  const { message } = reply.statusCode === 403 ? reply.json<{ message: string }>() : {};
  return /permission (\w+) is needed$/u.exec(message ?? '')?.[1] ?? null;
}

test('routes that the document does not show need a caller as well', async () => {
  for (const path of ['/actuator/health', '/ops/queue', '/ops/queue/api/queues'])
    expect(await refusalOf('get', path), path).toBe('nobody');
});

test('the document names exactly these routes with a caller, with exactly these permissions', () => {
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
  expect(expected.size).toBe(Object.values(ROUTE_PERMISSIONS).flat().length);
});

describe.each(routes)('$method $path needs $needs', ({ method, path, needs }) => {
  test.each(PERMISSIONS)('of a client that has only %s', async (permission) => {
    const refusal = await refusalOf(method, path, await bearer({ azp: `only-${permission}` }));
    expect(refusal).toBe(permission === needs ? null : needs);
  });

  test('of a client without any, of users, and of nobody', async () => {
    expect(await refusalOf(method, path, await bearer({ azp: 'nothing' }))).toBe(needs);
    expect(await refusalOf(method, path)).toBe('nobody');
    const usual = needs === 'read' || needs === 'write' ? null : needs;
    expect(await refusalOf(method, path, await api.as(USER))).toBe(usual);
    expect(await refusalOf(method, path, await api.as(OTHER_USER))).toBe(usual);
  });

  test('of the operators of a tenant and of the provider', async () => {
    const claims = { roles: ['operator'] };
    const ofTenant = needs === 'policy' || needs === 'admin' ? needs : null;
    expect(await refusalOf(method, path, await api.as(USER, { claims }))).toBe(ofTenant);
    expect(await refusalOf(method, path, await api.as(PROVIDER, { claims }))).toBeNull();
  });
});
