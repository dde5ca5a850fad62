import { test } from 'vitest';
import { expectToSurviveMinute, MINUTE_TIMEOUT_MS } from './kit/minute.ts';

test(
  'a minute of chaos, the queue on PostgreSQL: everything accepted ends once',
  {
    timeout: MINUTE_TIMEOUT_MS,
  },
  () => expectToSurviveMinute('postgres', 313_163),
);
