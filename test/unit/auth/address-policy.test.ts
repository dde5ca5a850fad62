import { describe, expect, test } from 'vitest';
import { addressPolicy } from '../../../src/auth/address-policy.ts';

const allows = (list: string, address: string, hostname = address): boolean =>
  addressPolicy(list).allows(hostname, address);

describe('where a request may go', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'public address %s: always',
    (address) => {
      expect(allows('none', address)).toBe(true);
    },
  );

  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::7f00:1',
    'fe80::1',
    'fec0::1',
    '168.63.129.16',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'not an address',
    '',
  ])('%s: not unless it is listed', (address) => {
    expect(allows('none', address)).toBe(false);
  });

  test('words, addresses, ranges and names list more', () => {
    expect(allows('loopback', '127.0.0.1')).toBe(true);
    expect(allows('loopback', '::1')).toBe(true);
    expect(allows('loopback', '10.0.0.1')).toBe(false);
    expect(allows('private', '10.0.0.1')).toBe(true);
    expect(allows('private', 'fd12::1')).toBe(true);
    expect(allows('private', '169.254.169.254')).toBe(false);
    expect(allows('10.1.0.0/16', '10.1.255.1')).toBe(true);
    expect(allows('10.1.0.0/16', '10.2.0.1')).toBe(false);
    expect(allows('loopback, 10.0.0.7', '10.0.0.7')).toBe(true);
    expect(allows('loopback, 10.0.0.7', '10.0.0.8')).toBe(false);
    expect(allows('fd12::/16', 'fd12::1')).toBe(true);
  });

  test('a name stands for whatever address it has, and for no other name', () => {
    expect(allows('idp.internal', '10.0.0.1', 'IDP.internal')).toBe(true);
    expect(allows('idp.internal', '10.0.0.1', 'idp.internal.')).toBe(true);
    expect(allows('idp.internal', '10.0.0.1', 'xidp.internal')).toBe(false);
    expect(allows('idp.internal', '10.0.0.1', 'idpxinternal')).toBe(false);
    expect(allows('*.internal', '10.0.0.1', 'idp.eu.internal')).toBe(true);
    expect(allows('*.internal', '10.0.0.1', 'internal')).toBe(false);
    expect(allows('*.internal', '10.0.0.1', 'internal.evil.example')).toBe(false);
  });

  test.each(['', 'loopback,', '10.0.0.0/99', '10.0.0', 'http://idp.internal', 'a_b', '*', '*.'])(
    '%j is a mistake',
    (list) => {
      expect(() => addressPolicy(list)).toThrow(TypeError);
    },
  );
});
