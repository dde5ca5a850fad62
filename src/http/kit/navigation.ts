import type { IncomingMessage } from 'node:http';
import { namesPage } from './accept.ts';

/*
 * Some addresses mean a page to a person and something else, or nothing, to a program. Which of them asks is a
 * constraint of the route, so that a program is routed as if the page were not there.
 */

const NAME = 'asker';
const PERSON = 'person';

/** For a route that only people have. */
export const FOR_NAVIGATION = { [NAME]: PERSON };

export const isForNavigation = (constraints: Readonly<Record<string, unknown>> = {}): boolean =>
  NAME in constraints;

/** One route for people at an address. */
function oneRoute<Handler>() {
  let kept: Handler | null = null;
  return {
    get: (asker: string): Handler | null => (asker === PERSON ? kept : null),
    set: (_asker: string, handler: Handler): void => {
      kept = handler;
    },
  };
}

export const NAVIGATION = {
  [NAME]: {
    name: NAME,
    storage: oneRoute,
    deriveConstraint: ({ headers }: IncomingMessage): string =>
      namesPage(headers.accept) ? PERSON : 'program',
  },
};
