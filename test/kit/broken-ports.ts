import { ProblemError, problem } from '../../src/domain/problems.ts';
import { DatabaseUnreachableError } from '../../src/store/sql/database-unreachable.ts';

/* Ports that fail when a test says so: as if the database were unreachable, or as if a search were too broad. */

export const broken = { isDown: false, isBroad: false };

export const away = () =>
  new DatabaseUnreachableError(
    'refused',
    { where: 'localhost:1', host: 'localhost', port: 1 },
    'no server listens at this address',
  );
/** Methods that yield their entries one by one. */
const ITERATED: ReadonlySet<string | symbol> = new Set(['listAll', 'history', 'commentsMade']);

const failingList = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(away()) }),
});

/** Wraps a port so that its methods fail while the database is down. */
export const failing = <T extends object>(asked: T): T =>
  new Proxy(asked, {
    get: (target, name) => {
      if (!broken.isDown) return Reflect.get(target, name) as unknown;
      return ITERATED.has(name) ? failingList : () => Promise.reject(away());
    },
  });

/** Wraps the searches of the operations desk so that they take too long while `isBroad` is set. */
export const tooBroad = <T extends object>(asked: T): T =>
  new Proxy(asked, {
    get: (target, name) =>
      broken.isBroad
        ? () => Promise.reject(new ProblemError(problem('SEARCH_TOO_BROAD', 'too much')))
        : (Reflect.get(target, name) as unknown),
  });
