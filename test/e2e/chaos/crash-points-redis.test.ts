import { hasRedis } from '../kit/has-redis.ts';
import { crashSuite } from './crash-suite.ts';

/* Only the crash points of the queue are tested here: all others are the same for both kinds of queue. */
if (hasRedis('crash points')) {
  crashSuite('redis', [
    'queue:before-add',
    'queue:after-add',
    'dispatch:after-commit',
    'submit:before',
    'submit:after',
  ]);
}
