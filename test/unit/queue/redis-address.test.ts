import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/queue/queue-error.ts';
import { parseRedisAddress } from '../../../src/queue/redis-address.ts';

test.each(['/run/redis.sock', 'redis://h', 'rediss://u:p@h:1/2', 'redis://[::1]:7000'])(
  'one server: %s',
  (url) => {
    expect(parseRedisAddress(url)).toEqual({ kind: 'one', url });
  },
);

test('the authority of TLS is named at the end, for each kind of address', () => {
  const rootCertificates = '/etc/ca.pem';
  const query = `?sslrootcert=${rootCertificates}`;
  const one = `rediss://u:p@h${query}`;
  expect(parseRedisAddress(one)).toEqual({ kind: 'one', url: one, rootCertificates });
  const many = ['rediss://a,b', 'rediss+sentinel://a/main'];
  for (const url of many)
    expect(parseRedisAddress(`${url}${query}`)).toMatchObject({
      login: { tls: {}, rootCertificates },
    });
  const plain = parseRedisAddress(`redis://h${query}`);
  expect(plain).toEqual({ kind: 'one', url: `redis://h${query}` });
});

test('several nodes are those of a cluster, with one login', () => {
  expect(parseRedisAddress('rediss://tenure:a%3Ab@10.0.0.1:7000,node-2,[::1]:7002')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: '10.0.0.1', port: 7000 },
      { host: 'node-2', port: 6379 },
      { host: '::1', port: 7002 },
    ],
    login: { username: 'tenure', password: 'a:b', tls: {} },
  });
  expect(parseRedisAddress('redis://:secret@a,b')).toMatchObject({ login: { password: 'secret' } });
});

test('sentinels know the primary by its name', () => {
  expect(parseRedisAddress('redis+sentinel://:p@a,b:26380/tenure-queue/3')).toEqual({
    kind: 'sentinel',
    nodes: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 26_380 },
    ],
    name: 'tenure-queue',
    login: { password: 'p', db: 3 },
  });
  expect(parseRedisAddress('rediss+sentinel://a/main')).toMatchObject({ login: { tls: {} } });
});

test.each([
  '',
  'local',
  '//host',
  'redis:',
  'redis://',
  'http://127.0.0.1',
  '127.0.0.1:6379',
  'redis://a,',
  'redis://a,b/1',
  'redis://a:x,b',
  'redis://a b,c',
  'redis://%zz@a,b',
  'redis+sentinel://a',
  'redis+sentinel://a/name/x',
  'redis+sentinel://a/name/1/2',
])('is none: %j', (text) => {
  expect(parseRedisAddress(text)).toBeNull();
});

test('no address that is told has a login in it', () => {
  for (const login of ['', 'user:pass@', ':pass@']) {
    expect(withoutSecrets(`redis://${login}a:1,b:2/0?x=pass`)).toBe('redis://a:1,b:2/0');
    expect(withoutSecrets(`redis+sentinel://${login}a:1,b:2/name`)).toBe(
      'redis+sentinel://a:1,b:2/name',
    );
    expect(withoutSecrets(`redis+sentinel://${login}a:1/name`)).not.toContain('pass');
  }
  // This password is not encoded correctly.
  expect(withoutSecrets('redis://u:12,3/pass@a')).not.toContain('pass');
});
