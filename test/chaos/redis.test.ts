import { test } from 'vitest';
import { LATER_CROWD } from '../../chaos/script.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import { expectToSurviveMinute, MINUTE_TIMEOUT_MS } from './kit/minute.ts';

test.runIf(hasRedis('chaos'))(
  'a minute of chaos, the queue on Redis: everything accepted ends once',
  {
    timeout: MINUTE_TIMEOUT_MS,
  },
  // The number of operations that wait is smaller here: ending 20,000 of them takes minutes of processor time, and does
  // not depend on the kind of queue.
  () => expectToSurviveMinute('redis', 4, { crowd: LATER_CROWD }),
);
