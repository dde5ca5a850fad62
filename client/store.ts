/* Stores of commands. A command is in the store from before its first request until its end is known. */

/** A stored command, with all data needed to send it again. */
export interface KeptCommand {
  readonly commandId: string;
  /** The path with its parameters filled in. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly madeAtMs: number;
}

type Later<T> = T | Promise<T>;

/** An adapter for a storage. When the promise of `set` resolves, the command must be stored. */
export interface CommandStore {
  get(name: string): Later<KeptCommand | undefined>;
  set(name: string, command: KeptCommand): Later<unknown>;
  delete(name: string): Later<unknown>;
  /** Returns the names of all stored commands. */
  names(): Later<readonly string[]>;
}

/** Keeps commands in memory, until the program ends. */
export function memoryStore(): CommandStore {
  const kept = new Map<string, KeptCommand>();
  return {
    get: (name) => kept.get(name),
    set: (name, command) => kept.set(name, command),
    delete: (name) => kept.delete(name),
    names: () => [...kept.keys()],
  };
}

/** The part of Web Storage that the store needs. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

function commandIn(text: string | null): KeptCommand | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as KeptCommand);
  } catch {
    return undefined;
  }
}

/**
 * Stores commands in `localStorage` or `sessionStorage`.
 *
 * @param prefix the beginning of the keys. It should contain the signed-in caller, so that no other caller repeats the
 *   commands
 */
export function webStore(storage: WebStorage, prefix: string): CommandStore {
  return {
    get: (name) => commandIn(storage.getItem(prefix + name)),
    set: (name, command) => storage.setItem(prefix + name, JSON.stringify(command)),
    delete: (name) => storage.removeItem(prefix + name),
    names: () =>
      Array.from({ length: storage.length }, (_none, index) => storage.key(index) ?? '')
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length)),
  };
}
