import { randomUUID } from 'node:crypto';
import { storeSuite } from '../../kit/store-suite.ts';
import { createMemoryDatabase } from './database.ts';
import { realAfter, realHooks } from './real-hooks.ts';

storeSuite(async () => {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const connection = database.connect('test', realHooks());
  return {
    ...connection,
    startAnew: async () => database.crash({ losing: false }),
    beginSession: async () => {
      const other = database.connect(`session-${randomUUID()}`, realHooks());
      return {
        name: other.session() ?? '',
        [Symbol.asyncDispose]: async () => other.kill(),
      };
    },
    listen: async (ear) => {
      const stop = connection.listen(ear);
      return { [Symbol.asyncDispose]: async () => stop() };
    },
    [Symbol.asyncDispose]: async () => connection.kill(),
  };
});
