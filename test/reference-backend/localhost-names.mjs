import dns from 'node:dns';

/*
 * In the reference's stack `keycloak.localhost` is a name of its network, which the backend's container finds. Here the
 * names below `localhost` are this machine, as they are for browsers.
 */

const { lookup } = dns;

dns.lookup = (name, ...rest) => lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest);
