import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PATHS } from '../../web/src/paths.ts';

/*
 * The addresses of the web application, which people bookmark and to which they link. A change of an address must be a
 * deliberate decision.
 */

test('each address has one route, and each route an address', () => {
  const router = readFileSync('web/src/router.tsx', 'utf8');
  const found = router.matchAll(/createRoute\(\{\s*\.\.\.at,\s*path: PATHS\.(\w+)/gu);
  const routes = [...found].map(([, name = '']) => name);
  expect(routes.toSorted()).toEqual(Object.keys(PATHS).toSorted());
  expect(router.match(/createRoute\(/gu)).toHaveLength(routes.length);
});

test('the addresses are the ones that people have kept', () => {
  expect(PATHS).toMatchInlineSnapshot(`
    {
      "act": "/acts/$id",
      "acts": "/acts",
      "attention": "/attention",
      "audit": "/audit",
      "costs": "/costs",
      "customers": "/customers",
      "errors": "/errors",
      "failures": "/failures",
      "home": "/",
      "install": "/installs/$contractId",
      "installs": "/installs",
      "license": "/licenses/$contractId",
      "licenses": "/licenses",
      "lifecycles": "/lifecycles",
      "login": "/login",
      "operation": "/operation/$commandId",
      "operations": "/operations",
      "opsOperation": "/operations/$id",
      "opsSessions": "/sessions",
      "overview": "/overview",
      "payments": "/payments",
      "plans": "/plans",
      "policies": "/policies",
      "quotas": "/quotas",
      "receipt": "/licenses/$contractId/receipt",
      "renewal": "/renewals/$contractId",
      "renewals": "/renewals",
      "request": "/requests/$contractId",
      "requests": "/requests",
      "settings": "/settings",
      "statistics": "/statistics",
      "streams": "/streams",
      "subscriptions": "/subscriptions",
      "tenants": "/tenants",
      "timers": "/timers",
      "webhook": "/webhooks/$id",
      "webhooks": "/webhooks",
    }
  `);
});
