import { storeSuite } from '../../kit/store-suite.ts';
import { createMemoryDatabase } from './database.ts';
import { realHooks } from './real-hooks.ts';

storeSuite(async () => {
  const database = createMemoryDatabase({ now: Date.now });
  const connection = database.connect('test', realHooks());
  return { ...connection, [Symbol.asyncDispose]: async () => connection.kill() };
});
