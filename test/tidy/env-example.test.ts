import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { envExample } from '../../scripts/env-example.ts';

test('.env.example lists every setting, as `node scripts/env-example.ts` writes it', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
});
