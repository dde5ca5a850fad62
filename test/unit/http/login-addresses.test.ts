import { describe, expect, test } from 'vitest';
import { forBrowsers } from '../../../src/auth/issuer-addresses.ts';
import { isOwnPath } from '../../../src/http/kit/cookies.ts';

describe('a path to come back to', () => {
  test.each(['/', '/licenses?limit=1', '/a//b', '/a:b', '/x%2F%2Fevil.example', '/?next=//evil'])(
    'is ours: %j',
    (path) => {
      expect(isOwnPath(path)).toBe(true);
      expect(new URL(path, 'http://here').origin).toBe('http://here');
    },
  );

  test.each([
    '',
    'licenses',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a b',
    '/\u{ff0f}evil',
    'http://evil.example',
    'javascript:alert(1)',
  ])('is not: %j', (path) => expect(isOwnPath(path)).toBe(false));
});

describe('an address of an issuer, for browsers', () => {
  const at = (url: string, browserUrl = 'https://login.example/realms/A') =>
    forBrowsers(
      [
        {
          issuer: 'http://keycloak.localhost:8082/realms/A',
          endpointUrl: 'http://localnet:8082/realms/A',
          browserUrl,
        },
      ],
      new URL(url),
    );

  test.each([
    ['http://localnet:8082/realms/A/auth?x=1', 'https://login.example/realms/A/auth?x=1'],
    ['http://keycloak.localhost:8082/realms/A?x', 'https://login.example/realms/A?x'],
    ['http://localnet:8082/oauth2/auth', 'https://login.example/oauth2/auth'],
    ['http://localnet:8083/realms/A/auth', 'http://localnet:8083/realms/A/auth'],
    ['http://elsewhere/realms/A/auth', 'http://elsewhere/realms/A/auth'],
  ])('%s is %s', (url, expected) => expect(at(url)).toBe(expected));
});
