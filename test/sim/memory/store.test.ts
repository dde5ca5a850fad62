import { storeSuite } from '../../kit/store-suite.ts';
import { createMemoryDatabase } from './database.ts';
import { realAfter, realHooks } from './real-hooks.ts';

storeSuite(async () => {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const connection = database.connect('test', realHooks());
  return {
    ...connection,
    startAnew: async () => database.crash({ losing: false }),
    listen: async (ear) => {
      const stop = connection.listen(ear);
      return { [Symbol.asyncDispose]: async () => stop() };
    },
    [Symbol.asyncDispose]: async () => connection.kill(),
  };
});
