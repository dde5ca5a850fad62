/*
 * A session shows that a process is alive: the session holds an advisory lock of the process's name as long as it
 * lasts. The kernel closes the connection of a process that ends in any way, and the server then ends the session.
 * Sessions of one name share the lock, so that a new session need not wait for the end of a frozen one. Two names with
 * the same hash only make one of them look alive for longer.
 *
 * A session lock needs a direct connection to the server: a pooler in transaction mode takes the lock on an arbitrary
 * connection.
 */

/** "TENU", to avoid the keys of other users of advisory locks. */
const LOCK_KEY = 0x54_45_4e_55;

/** SQL: takes the lock named by the first parameter, until the session ends. */
export const SHOW_LIFE = `select pg_advisory_lock_shared(${LOCK_KEY}, hashtext($1))`;

/** SQL: true if no session holds the lock of a name. The calling transaction then holds it until its end. */
export const endedLife = (name: string): string =>
  `pg_try_advisory_xact_lock(${LOCK_KEY}, hashtext(${name}))`;
