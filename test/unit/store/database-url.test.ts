import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import {
  defectOfDatabaseUrl,
  hostsInWords,
  readDatabaseUrl,
  withoutPassword,
} from '../../../src/store/sql/database-url.ts';

test.each([
  ['postgresql://u:p@a/db', 'a:5432', 'postgresql://u:p@a/db'],
  ['postgres://a:1,b:2/db', 'a:1,b:2', 'postgres://a:1/db'],
  ['postgresql://u:p%40@a,b:2/db', 'a:5432,b:2', 'postgresql://u:p%40@a:5432/db'],
  ['postgresql://u@[::1]:3,[::2]/db', '::1:3,::2:5432', 'postgresql://u@[::1]:3/db'],
  ['postgresql://u@%2Ftmp,b/db', '/tmp:5432,b:5432', 'postgresql://u@%2Ftmp:5432/db'],
  ['postgresql:///db?host=/tmp&port=7', '/tmp:7', 'postgresql:///db?host=/tmp&port=7'],
  ['postgresql://u@x:9/db?host=/tmp', '/tmp:9', 'postgresql://u@x:9/db?host=/tmp'],
  ['postgresql:///db?host=a,b&port=1,2', 'a:1,b:2', 'postgresql://a:1/db'],
  [
    'postgresql://a,b/db?target_session_attrs=read-write&sslmode=require&application_name=x%20y',
    'a:5432,b:5432',
    'postgresql://a:5432/db?sslmode=require&application_name=x%20y',
  ],
])('%s: its hosts, and what the driver is given', (url, hosts, first) => {
  const address = readDatabaseUrl(url);
  expect(address === null ? null : hostsInWords(address)).toBe(hosts);
  expect(address?.url).toBe(first);
});

test('database and user are those of the URL', () => {
  const address = readDatabaseUrl('postgresql://me%20too:p@a,b:1/my%2Fdb');
  expect(address).toMatchObject({ user: 'me too', database: 'my/db' });
});

test.each([
  ['postgresql://u:p%40@a:1,b/db?sslmode=require', 'p@', 'postgresql://u@a:1,b/db?sslmode=require'],
  ['postgresql://u:p:@q@a/db', 'p:@q', 'postgresql://u@a/db'],
  ['postgresql://:p@/db?host=/tmp', 'p', 'postgresql://@/db?host=/tmp'],
  ['postgresql://u@a/db?password=p&sslmode=require', 'p', 'postgresql://u@a/db?sslmode=require'],
  ['postgresql://u:q@a/db?x=1&password=p', 'p', 'postgresql://u@a/db?x=1'],
  ['postgresql://a/db', '', 'postgresql://a/db'],
])('%s: its password, and the rest', (url, password, rest) => {
  expect(readDatabaseUrl(url)?.password).toBe(password);
  expect(withoutPassword(url)).toBe(rest);
});

test.each([
  'postgresql://u:p@a:1/db?host=b&host=c&port=2&port=3',
  'postgresql://u:p@a:1/db?host=&port=&user=&password=',
  'postgresql://u:p@a:1/db?user=v&user=w&password=q&password=r',
])('%s: each parameter as the driver reads it', (url) => {
  const { host, port, user, password } = new Client({ connectionString: url });
  const address = readDatabaseUrl(url);
  expect(address).toMatchObject({ hosts: [{ host, port }], user, password });
});

test.each([
  'postgresql://u:p@a/db',
  'postgresql://u@[::1]:3/db',
  'postgresql://u@%2Ftmp/db',
  'postgresql:///db?host=/tmp&port=7',
  'postgresql://u@x:9/db?host=/tmp',
])('%s: the driver connects to its host, whatever PGHOST is', (url) => {
  vi.stubEnv('PGHOST', 'other');
  try {
    const address = readDatabaseUrl(url);
    const { host } = new Client({ connectionString: address?.url ?? '' });
    expect(host).toBe(address?.hosts[0]?.host);
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each([
  'http://a/db',
  'postgresql://a:port/db',
  'postgresql://a:1,b:x/db',
  'postgresql://a:99999/db',
  'postgresql://a:1:2/db',
  'a/db',
  // The driver would take the host from the variable PGHOST, without TLS.
  'postgresql:///db',
  'postgresql://u:p@/db',
  'postgresql://u:p@:5432/db?host=',
  'postgresql://a,:2/db',
  'postgresql:///db?host=a,',
  // The driver cannot parse these.
  'postgresql://:7/db?host=/tmp',
  'postgresql://u@:7/db?host=a,b',
])('%s is no address of a database', (url) => {
  expect(readDatabaseUrl(url)).toBeNull();
  expect(defectOfDatabaseUrl(url)).toMatch(/must have the form .* name each host/u);
});

test('a URL whose sessions only read is refused, and not repeated', () => {
  const url = (wanted: string) => `postgresql://u:secret@a,b/db?target_session_attrs=${wanted}`;
  expect(defectOfDatabaseUrl(url('standby'))).toMatch(/contain target_session_attrs=read-write/u);
  expect(defectOfDatabaseUrl(url('read-only'))).not.toContain('secret');
  expect(defectOfDatabaseUrl(url('read-write'))).toBeNull();
  expect(defectOfDatabaseUrl(url('any'))).toBeNull();
});
