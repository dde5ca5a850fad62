/** One server of a database. */
export interface DatabaseHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** A database on one server, or on several servers of which one is the primary. */
export interface DatabaseAddress {
  /** In the order of the URL; there is at least one. */
  readonly hosts: readonly DatabaseHost[];
  /** The URL with its first host only, in the form that the driver can read. */
  readonly url: string;
  readonly database: string;
  readonly user: string;
  /** Empty if the URL has none. */
  readonly password: string;
  /** Parameters of the connection, such as `sslmode`. */
  readonly query: URLSearchParams;
}

const PORT = 5_432;
const SCHEME = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/su;
/**
 * Parameters that are removed before the driver sees the URL: those that only libpq programs obey, and those that name
 * the hosts.
 */
const OURS = ['target_session_attrs', 'load_balance_hosts', 'host', 'port'];
/** The values of `target_session_attrs` that ask for a server which takes no writes. */
const READING: readonly string[] = ['read-only', 'standby', 'prefer-standby'];

/**
 * Parses `name`, `name:port` or `[address]:port`; returns `null` for any other text. An empty name is not allowed,
 * because the driver would take the host from the variable PGHOST, which no check of settings knows.
 */
function hostOf(text: string): DatabaseHost | null {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/u.exec(text) ?? [];
  const host = decodeURIComponent(inBrackets ?? plain ?? '');
  const number = Number(port === undefined || port === '' ? PORT : port);
  return host === '' || number > 65_535 ? null : { host, port: number };
}

/**
 * Returns the hosts that the query of the URL names: the two lists have the same length, or there is one port for all
 * hosts.
 */
function hostsOfQuery(names: string, ports: string): (DatabaseHost | null)[] {
  const eachPort = ports.split(',');
  return names.split(',').map((name, i) => {
    const port = (eachPort.length === 1 ? eachPort[0] : eachPort[i]) || String(PORT);
    return name !== '' && /^\d+$/u.test(port) ? { host: name, port: Number(port) } : null;
  });
}

const written = ({ host, port }: DatabaseHost): string =>
  `${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}:${port}`;

/**
 * Parses the URL of a database. As in libpq, it may name several servers: separated by commas, each with its port.
 *
 * @example
 * readDatabaseUrl('postgresql://tenure:secret@a:5432,b:5433/tenure?target_session_attrs=read-write');
 *
 * @returns `null` for a text that is not a PostgreSQL URL, or that lacks a host
 */
export function readDatabaseUrl(url: string): DatabaseAddress | null {
  const [, scheme = '', authority = '', rest = ''] = SCHEME.exec(url) ?? [];
  const names = authority.slice(authority.lastIndexOf('@') + 1);
  const login = authority.slice(0, authority.length - names.length);
  const one = `${scheme}${login}localhost${rest}`;
  // The driver cannot parse a port without a host, even if the query names the host.
  if (scheme === '' || names.startsWith(':') || !URL.canParse(one)) return null;
  const parsed = new URL(one);
  // As in the driver: of several parameters with one name the last counts, and an empty one falls back to the rest of
  // the URL.
  const query = new URLSearchParams(Object.fromEntries(parsed.searchParams));
  const listed = query.get('host');
  try {
    const named = names.split(',').map(hostOf);
    const port = query.get('port') || String(named[0]?.port ?? PORT);
    const hosts = listed ? hostsOfQuery(listed, port) : named;
    const known = hosts.filter((host) => host !== null);
    const [first] = known;
    if (first === undefined || known.length < hosts.length) return null;
    return {
      hosts: known,
      url: known.length === 1 ? url : firstAlone(parsed, scheme, login, first),
      database: decodeURIComponent(parsed.pathname.slice(1)),
      user: query.get('user') || decodeURIComponent(parsed.username),
      password: query.get('password') || decodeURIComponent(parsed.password),
      query,
    };
  } catch {
    return null; // The text cannot be decoded.
  }
}

function firstAlone(parsed: URL, scheme: string, login: string, first: DatabaseHost): string {
  const query = new URLSearchParams(parsed.searchParams);
  for (const name of OURS) query.delete(name);
  const rest = query.size === 0 ? '' : `?${query.toString().replaceAll('+', '%20')}`;
  return `${scheme}${login}${written(first)}${parsed.pathname}${rest}`;
}

/** Returns a URL without its password, for use as a program argument: every user of the machine can list those. */
export function withoutPassword(url: string): string {
  const [, scheme = '', authority = '', rest = ''] = SCHEME.exec(url) ?? [];
  const at = authority.lastIndexOf('@') + 1;
  const user = /^[^:@]*/u.exec(authority.slice(0, at))?.[0] ?? '';
  const login = at === 0 ? '' : `${user}@`;
  const others = rest.replace(/([?&])password=[^&#]*&?/gu, '$1').replace(/[?&](?=#|$)/u, '');
  return `${scheme}${login}${authority.slice(at)}${others}`;
}

/** Returns the hosts of a database in a form for people, such as `a:5432,b:5433`. */
export const hostsInWords = ({ hosts }: DatabaseAddress): string =>
  hosts.map(({ host, port }) => `${host}:${port}`).join(',');

/** Says why a URL cannot be parsed. The text does not contain the URL. */
export const NO_DATABASE_URL =
  'must have the form postgresql://user:password@host:port,host:port/database: name each host, such as localhost, or the folder of a socket as in ?host=/run/postgresql';

/** Returns why a URL is invalid for a database to which Tenure writes, or `null`. The text does not contain the URL. */
export function defectOfDatabaseUrl(url: string): string | null {
  if (readDatabaseUrl(url) === null) return NO_DATABASE_URL;
  const wanted = /[?&]target_session_attrs=([^&#]*)/u.exec(url)?.[1];
  if (wanted === undefined || !READING.includes(wanted)) return null;
  return 'must not contain target_session_attrs, or contain target_session_attrs=read-write, because Tenure needs a server that accepts writes';
}
