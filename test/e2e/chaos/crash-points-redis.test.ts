import { hasRedis } from '../kit/has-redis.ts';
import { crashSuite } from './crash-suite.ts';

/* Crash points outside of the queue are the same for both kinds. */
if (hasRedis('crash points')) {
  crashSuite('redis', [
    'queue:before-add',
    'queue:after-add',
    'dispatch:after-commit',
    'submit:before',
    'submit:after',
  ]);
}
