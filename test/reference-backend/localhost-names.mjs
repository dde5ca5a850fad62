import dns from 'node:dns';

/*
 * In the reference's stack `keycloak.localhost` is a host of its network, which the backend's container
 * resolves. Here names below `localhost` resolve to this machine, as browsers do.
 */

const { lookup } = dns;

dns.lookup = (name, ...rest) => lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest);
