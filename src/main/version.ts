import { readFileSync } from 'node:fs';

/** The version of Tenure, read from package.json alone. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
