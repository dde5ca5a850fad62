import { expect, test } from 'vitest';
import { FOR } from '../web/kit/addresses.ts';
import type { Who } from '../web/kit/people.ts';
import { ALL, describeEveryPage } from './kit/every-page.ts';

test('every address is some role’s', () => {
  const seen = new Set<string>(Object.values(FOR).flat());
  expect(ALL.filter((key) => !seen.has(key))).toEqual([]);
});

describeEveryPage('oauth2', Object.keys(FOR) as Who[]);
