import { test } from 'vitest';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import { expectToSurviveMinute, MINUTE_TIMEOUT_MS } from './kit/minute.ts';

test.runIf(hasRedis('chaos'))(
  'a minute of chaos, the queue on Redis: everything accepted ends once',
  {
    timeout: MINUTE_TIMEOUT_MS,
  },
  () => expectToSurviveMinute('redis', 4),
);
