import { test } from 'vitest';
import { expectToSurviveMinute, MINUTE_TIMEOUT_MS } from '../chaos/kit/minute.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';

test.runIf(hasRedis('chaos of the size ha'))(
  'a minute of chaos of the size ha: a cluster, a pair, two of each role',
  { timeout: MINUTE_TIMEOUT_MS },
  () => expectToSurviveMinute('redis', 1, { size: 'ha' }),
);
