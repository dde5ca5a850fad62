import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Decides which IP addresses a request may be sent to if another party chose the request's host. */
export interface AddressPolicy {
  /** Returns whether requests may be sent to an address. @param address an IP address that `hostname` resolves to */
  allows(hostname: string, address: string): boolean;
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
type Entry = { readonly name: RegExp } | { readonly ranges: readonly Range[] };

const WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  none: [],
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
const NAME = /^(\*\.)?[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/iu;

const escaped = (text: string): string => text.replaceAll('.', String.raw`\.`);

function entryOf(text: string): Entry | null {
  const ranges = WORDS[text]?.map((range) => ipaddr.parseCIDR(range));
  if (ranges !== undefined) return { ranges };
  // ipaddr.js also accepts notations that other parsers read differently, such as 10.1.
  if (isIP(text.replace(/\/.*$/u, '')) !== 0) {
    if (ipaddr.isValidCIDR(text)) return { ranges: [ipaddr.parseCIDR(text)] };
    if (!ipaddr.isValid(text)) return null;
    const address = ipaddr.parse(text);
    return { ranges: [[address, address.kind() === 'ipv4' ? 32 : 128]] };
  }
  if (!NAME.test(text) || /^[\d.]+$/u.test(text)) return null;
  const any = text.startsWith('*.');
  const name = escaped(any ? text.slice(2) : text);
  return { name: new RegExp(any ? `^[^.].*\\.${name}$` : `^${name}$`, 'iu') };
}

/** Global unicast addresses (RFC 4291, 2.4). All other IPv6 addresses carry an IPv4 address or are unassigned. */
const GLOBAL: Range = ipaddr.parseCIDR('2000::/3');

/** The platform address of Azure virtual machines. Its range is public, but the machine's host answers there. */
const PLATFORM = ipaddr.parse('168.63.129.16');

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.toString() !== PLATFORM.toString() &&
  address.range() === 'unicast' &&
  (address.kind() === 'ipv4' || address.match(...GLOBAL));

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Range): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** Private networks of a cloud or a cluster, with the shared addresses (RFC 6598) that pods may have. */
const PROXIES_PRIVATE: readonly Range[] = [...(WORDS['private'] ?? []), '100.64.0.0/10'].map(
  (range) => ipaddr.parseCIDR(range),
);

/**
 * Prefix lengths of the widest ranges that one operator has: for IPv4 the length of `10.0.0.0/8`, for IPv6 the length
 * of a block that a registry assigns.
 */
const WIDEST_BITS = { ipv4: 8, ipv6: 16 } as const;
const UNIQUE_LOCAL: Range = ipaddr.parseCIDR('fc00::/7');

const isTooWide = ([network, bits]: Range): boolean =>
  bits < WIDEST_BITS[network.kind()] && !(bits >= UNIQUE_LOCAL[1] && isIn(network, UNIQUE_LOCAL));

/** Returns the entries of a list that certainly include addresses of strangers, such as `0.0.0.0/0`. */
export const entriesTooWide = (list: string): readonly string[] =>
  list.split(',').filter((text) => {
    const entry = entryOf(text.trim());
    return entry !== null && 'ranges' in entry && entry.ranges.some(isTooWide);
  });

/**
 * Returns a predicate for the addresses of trusted proxies.
 *
 * @param list comma separated: `loopback`, `private`, `none`, an IP address, or a range such as `10.1.0.0/16`
 * @throws TypeError that names the invalid entry
 */
export function trustedProxies(list: string): (address: string) => boolean {
  const ranges = list.split(',').flatMap((text) => {
    if (text.trim() === 'private') return PROXIES_PRIVATE;
    const entry = entryOf(text.trim());
    if (entry !== null && 'ranges' in entry) return entry.ranges;
    throw new TypeError(`${text.trim()} is no address or range`);
  });
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some((range) => isIn(parsed, range));
  };
}

/**
 * Returns a policy that always allows public addresses. It allows other addresses (this machine, private networks,
 * link-local addresses with the metadata services of clouds, reserved addresses) only if the list contains them.
 *
 * @param list comma separated: `loopback`, `private`, `none`, an IP address, a range such as `10.1.0.0/16`, or a host
 * name, also `*.example.org`. A listed host name may resolve to any address.
 * @throws TypeError that names the invalid entry
 */
export function addressPolicy(list: string): AddressPolicy {
  const entries = list.split(',').map((text) => {
    const entry = entryOf(text.trim());
    if (entry === null) throw new TypeError(`${text.trim()} is no address, range or host name`);
    return entry;
  });
  return {
    allows(hostname: string, address: string): boolean {
      if (!ipaddr.isValid(address)) return false;
      // An IPv4-mapped IPv6 address is judged like the IPv4 address that it contains.
      const parsed = ipaddr.process(address);
      if (isPublic(parsed)) return true;
      const name = hostname.replace(/\.$/u, '');
      return entries.some((entry) =>
        'name' in entry ? entry.name.test(name) : entry.ranges.some((range) => isIn(parsed, range)),
      );
    },
  };
}
