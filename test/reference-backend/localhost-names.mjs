import dns from 'node:dns';

/*
 * In the reference's stack, `keycloak.localhost` is a host in its network, so the backend's container can resolve the
 * name. Here, names below `localhost` are resolved to this machine, as in browsers.
 */

const { lookup } = dns;

dns.lookup = (name, ...rest) => lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest);
