import { hasRedis } from '../kit/has-redis.ts';
import { crashSuite } from './crash-suite.ts';

/* What does not touch the queue is the same on both. */
if (hasRedis('crash points')) {
  crashSuite('redis', [
    'queue:before-add',
    'queue:after-add',
    'dispatch:after-commit',
    'submit:before',
    'submit:after',
  ]);
}
