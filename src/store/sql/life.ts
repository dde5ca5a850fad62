/*
 * That a process lives, shown by a session: it has an advisory lock of the process's name for as long as it lasts. The
 * kernel closes the connection of a process that ends, however it ends, and the server then ends the session. Locks are
 * shared by sessions of one name, so that a new session need not wait for the end of one that is frozen. Two names of
 * one hash only make one of them look alive for longer.
 *
 * A lock of a session needs a connection to the server itself: a pooler in transaction mode has the lock on whichever
 * connection it chose.
 */

/** "TENU", so that no other user of advisory locks has the same. */
const LOCK_KEY = 0x54_45_4e_55;

/** SQL: takes the lock of the first parameter, until the session ends. */
export const SHOW_LIFE = `select pg_advisory_lock_shared(${LOCK_KEY}, hashtext($1))`;

/** SQL: true when no session has the lock of a name. The one that looks has it until its transaction ends. */
export const endedLife = (name: string): string =>
  `pg_try_advisory_xact_lock(${LOCK_KEY}, hashtext(${name}))`;
