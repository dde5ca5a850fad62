import { readFileSync } from 'node:fs';

/** The version of Tenure, from the one place that says it. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
