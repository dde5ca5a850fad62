import { postgresStore } from '../kit/postgres-store.ts';
import { storeSuite } from '../kit/store-suite.ts';

storeSuite(() => postgresStore());
