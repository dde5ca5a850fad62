import { describe, expect, test } from 'vitest';
import { createIssuerDirectory } from '../../src/auth/issuer-directory.ts';
import { createTokenSource } from '../../src/auth/ledger-token.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import { PROVIDER_TENANT_ID } from '../../src/domain/tenant.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import { forFile } from '../kit/for-file.ts';
import { IO, PROVIDER, startApi } from '../kit/http-api.ts';
import type { IssuerLayout } from '../kit/issuer-layouts.ts';
import { LAYOUTS, LAYOUT_CLIENT } from '../kit/issuer-layouts.ts';
import type { TestIssuer } from '../kit/issuer.ts';
import { makeKey, startIssuer } from '../kit/issuer.ts';

/* Authorization servers from the configuration, each with its own endpoints and claims. */

const KEY = await makeKey('RS256', 'layout-1');
const NAME = 'http://idp.example';
const api = await forFile(startApi());

const tenantAt = ({ issuer }: TestIssuer): Tenant => ({
  tenantId: PROVIDER_TENANT_ID,
  party: PROVIDER,
  walletUrl: null,
  clientId: LAYOUT_CLIENT,
  issuerUrl: issuer,
  internal: true,
  users: [],
});

/** Starts an issuer whose host name no name server knows. Tenure reaches it at the configured address. */
const open = (layout: IssuerLayout) => startIssuer('layout', KEY, Date.now, () => NAME, layout);

const configured = (issuer: TestIssuer): Promise<HttpApp> =>
  api.another({ provider: { tenant: tenantAt(issuer), issuer } });

async function expectEntered(app: HttpApp, issuer: TestIssuer): Promise<string> {
  const authorization = `Bearer ${await issuer.token()}`;
  const read = await app.inject({ url: '/user', headers: { authorization } });
  expect([read.statusCode, read.json().tenantId]).toEqual([200, PROVIDER_TENANT_ID]);
  const begun = await app.inject({ url: `/oauth2/authorization/${PROVIDER_TENANT_ID}` });
  const location = String(begun.headers.location);
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const back = new URL(issuer.login(location));
  const entered = await app.inject({ url: back.pathname + back.search, headers: { cookie } });
  expect([entered.statusCode, entered.headers.location]).toEqual([302, '/']);
  return location;
}

async function ledgerToken(issuer: TestIssuer): Promise<unknown> {
  await using stack = new AsyncDisposableStack();
  const http = stack.adopt(createOutgoingHttp(), (each) => each.close());
  const { fetch } = http;
  const directory = createIssuerDirectory({
    known: [issuer],
    fetch,
    guardedFetch: fetch,
    allowsHttp: true,
    nowMs: () => Date.now(),
  });
  const tokens = createTokenSource({
    tokenUrl: () => directory.tokenUrl(issuer.issuer),
    clientId: 'backend',
    clientSecret: 'secret',
    scope: 'daml_ledger_api',
    fetch: directory.fetchOf(issuer.issuer),
  });
  return await tokens.current(IO);
}

describe.each(LAYOUTS)('an issuer like that of $product', (layout) => {
  test('lets programs and people in, and gives tokens for the ledger', async () => {
    await using issuer = await open(layout);
    const location = await expectEntered(await configured(issuer), issuer);
    expect(location.startsWith(`${NAME}${layout.auth}?`)).toBe(true);
    expect(await ledgerToken(issuer)).toEqual({ kind: 'token', token: 'for the ledger' });
  });
});

describe('endpoints of the configuration', () => {
  const [layout] = LAYOUTS as [IssuerLayout];

  test('count before those that the issuer names, and where it names none', async () => {
    for (const hasMetadata of [true, false]) {
      const moved = { ...layout, certs: '/moved/keys', token: '/moved/token' };
      await using issuer = await open({ ...moved, hasMetadata });
      const origin = new URL(issuer.endpointUrl).origin;
      const endpoints = {
        jwks_uri: `${origin}${moved.certs}`,
        token_endpoint: `${origin}${moved.token}`,
        authorization_endpoint: 'https://login.example/begin',
      };
      const told = { ...issuer, endpoints };
      const location = await expectEntered(await configured(told), issuer);
      expect(location.startsWith('https://login.example/begin?')).toBe(true);
      expect(await ledgerToken(told)).toMatchObject({ kind: 'token' });
    }
  });

  test('are kept while the issuer does not say them again', async () => {
    let nowMs = 0;
    await using issuer = await open(layout);
    await using stack = new AsyncDisposableStack();
    const { fetch } = stack.adopt(createOutgoingHttp(), (each) => each.close());
    const known = [issuer];
    const directory = createIssuerDirectory({
      known,
      fetch,
      guardedFetch: fetch,
      allowsHttp: true,
      nowMs: () => nowMs,
    });
    const keysAt = `${NAME}${layout.certs}`;
    expect(await directory.jwksUrl(issuer.issuer)).toBe(keysAt);
    issuer.answerWith('away');
    nowMs += 3_600_000;
    expect(await directory.jwksUrl(issuer.issuer)).toBe(keysAt);
    expect(await directory.jwksUrl(issuer.issuer, true)).toBe(keysAt);
  });
});

test('a token may be as long as the headers may be', async () => {
  const base = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const statusOf = async (chars: number) => {
    const authorization = await api.as(PROVIDER, { claims: { groups: 'x'.repeat(chars) } });
    return (await fetch(`${base}/user`, { headers: { authorization } })).status;
  };
  expect([await statusOf(9_000), await statusOf(11_000), await statusOf(13_000)]).toEqual([
    200, 200, 431,
  ]);
});
