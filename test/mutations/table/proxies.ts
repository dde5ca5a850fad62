import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/** Mutations of the steps that precede the recognition of a caller: proxies, bodies, connections, probes. */
export const PROXIES: readonly Mutation[] = [
  {
    name: 'proxy-outermost-value',
    file: 'src/http/kit/public-address.ts',
    find: 'list[Math.max(0, list.length - hops)] || undefined;',
    put: 'list[0] || undefined;',
    breaks:
      'a client that invents a host before a proxy appends the true one sends logins elsewhere',
    found: test('integration', 'integration/http-protection', 'says where the browser is'),
  },
  {
    name: 'proxy-any-client',
    file: 'src/http/kit/public-address.ts',
    find: '|| !trusts(remote))',
    put: '|| (!trusts(remote) && remote === ""))',
    breaks: 'the headers of any client count',
    found: test('integration', 'integration/http-protection', 'is trusted as listed'),
  },
  {
    name: 'login-cookie-lost-with-429',
    file: 'src/http/routes/callers/login.ts',
    find: 'if (!(error instanceof SignInRefusedError)) throw error;',
    put: 'clearPendingLogin(request, reply); if (!(error instanceof SignInRefusedError)) throw error;',
    breaks: 'a sign-in that is limited loses its authorization code',
    found: test('integration', 'integration/http-guesses', 'keep the login of a browser'),
  },
  {
    name: 'body-members-unbounded',
    file: 'src/http/kit/json-body.ts',
    find: 'if (members <= HTTP_LIMITS.bodyMembersMax) return;',
    put: 'if (members >= 0) return;',
    breaks: 'a body of many members costs half a second',
    found: test('unit', 'unit/http/input', 'may have so many members'),
  },
  {
    name: 'body-text-hides-members',
    file: 'src/http/kit/json-body.ts',
    find: 'if (byte === BACKSLASH) at += 1;',
    put: 'if (byte === COMMA) at += 1;',
    breaks:
      'an escaped quote ends a text for the count, and what follows in the text counts as members',
    found: test('unit', 'unit/http/input', 'may have so many members'),
  },
  {
    name: 'connections-never-given-back',
    file: 'src/http/kit/connections.ts',
    find: 'const left = (open.get(address) ?? 1) - 1;',
    put: 'const left = open.get(address) ?? 1;',
    breaks: 'an address that has had its connections once never has another',
    found: test('integration', 'integration/http-connections', 'has so many connections'),
  },
  {
    name: 'readiness-asked-each-time',
    file: 'src/http/kit/shared-reading.ts',
    find: 'endsMs = nowMs() + keptMs;',
    put: 'endsMs = nowMs();',
    breaks: 'a stranger has every check and all metrics asked anew as often as it likes',
    found: test('integration', 'integration/http-outages', 'is asked once a second'),
  },
];
