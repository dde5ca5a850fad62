import { afterAll } from 'vitest';
import { sharedStores } from '../kit/postgres-store.ts';
import { storeSuite } from '../kit/store-suite.ts';

const stores = sharedStores();
afterAll(() => stores[Symbol.asyncDispose]());

storeSuite(() => stores.make());
