/*
 * Shows by a database session that a process is alive: as long as the session lasts, it holds an advisory lock of the
 * process's name. However a process ends, the kernel closes its connection, and the server then ends the session.
 * Sessions with one name share the lock, so that a new session need not wait for the end of a frozen one. If two names
 * have the same hash, one of the processes only seems to live for longer.
 *
 * A session lock needs a direct connection to the server: through a pooler in transaction mode, the lock would belong
 * to an arbitrary connection.
 */

/** "TENU" in ASCII, so that the key differs from those of other programs that use advisory locks. */
const LOCK_KEY = 0x54_45_4e_55;

/** SQL: takes the lock named by the first parameter. The session holds the lock until the session ends. */
export const SHOW_LIFE = `select pg_advisory_lock_shared(${LOCK_KEY}, hashtext($1))`;

/**
 * SQL: true if no session holds the lock of a name. In that case the calling transaction holds the lock until it ends.
 */
export const endedLife = (name: string): string =>
  `pg_try_advisory_xact_lock(${LOCK_KEY}, hashtext(${name}))`;
