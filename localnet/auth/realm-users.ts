import { createHash, timingSafeEqual } from 'node:crypto';
import type { RealmUser } from './realms.ts';

/**
 * Stores the users that an administrator has added, changed or removed, so that they survive a restart. A value is
 * opaque text, and `''` for a removed user; `all` returns the newest value of each ID.
 */
export interface UserStore {
  all(realmName: string): Iterable<readonly [id: string, value: string]>;
  put(realmName: string, id: string, value: string): void;
}

/** The attribute of a new user that another user of the realm already has. */
export type UserClash = 'username' | 'email';

/** The users of one realm: the built-in ones, and those that an administrator has added. */
export class RealmUsers {
  readonly #realmName: string;
  readonly #store: UserStore;
  readonly #byId = new Map<string, RealmUser>();

  constructor(realmName: string, shipped: readonly RealmUser[], store: UserStore) {
    this.#realmName = realmName;
    this.#store = store;
    for (const user of shipped) this.#byId.set(user.id, user);
    for (const [id, value] of store.all(realmName)) {
      if (value === '') this.#byId.delete(id);
      else this.#byId.set(id, JSON.parse(value) as RealmUser);
    }
  }

  [Symbol.iterator](): Iterator<RealmUser> {
    return this.#byId.values();
  }

  get(id: string | undefined): RealmUser | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Finds a user by username or email, ignoring case. */
  named(name: string): RealmUser | undefined {
    const wanted = name.toLowerCase();
    const users = [...this.#byId.values()];
    return (
      users.find(({ username }) => username === wanted) ??
      users.find(({ email }) => email === wanted)
    );
  }

  /**
   * Returns the user with this name or email and this password. The result is the same for an unknown name and a wrong
   * password.
   */
  signedIn(name: string, password: string): RealmUser | undefined {
    const user = this.named(name);
    return user !== undefined && sameText(user.publicDemoPassword, password) ? user : undefined;
  }

  /** Adds a user. If another user has the same username or email, returns which of these clashes and adds nothing. */
  add(user: RealmUser): UserClash | undefined {
    const others = [...this.#byId.values()];
    if (others.some(({ username }) => username === user.username)) return 'username';
    if (user.email !== undefined && others.some(({ email }) => email === user.email)) {
      return 'email';
    }
    this.#store.put(this.#realmName, user.id, JSON.stringify(user));
    this.#byId.set(user.id, user);
    return undefined;
  }

  /** Removes a user. Returns false if the user is unknown. */
  remove(id: string): boolean {
    if (!this.#byId.has(id)) return false;
    this.#store.put(this.#realmName, id, '');
    return this.#byId.delete(id);
  }
}

/** Compares in constant time, so that the duration does not reveal where the texts differ. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
