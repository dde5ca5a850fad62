import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { generate as generateCodegen } from 'openapi-typescript-codegen';
import { generate as generateOrval } from 'orval';
import { generateApi } from 'swagger-typescript-api';

/*
 * Lints the API's document with two linters, generates the five clients from it as the generators' documentation says,
 * and bundles each with the calls that it makes (its walk). The generated code is not changed.
 */

const run = promisify(execFile);
const [, , document] = process.argv;

const ruleset = ['--ruleset', 'spectral.yaml', '--fail-severity', 'warn'];
await run('node_modules/.bin/spectral', ['lint', document, ...ruleset]);
const recommended = ['--extends', 'recommended', '--format', 'json'];
const { stdout } = await run('node_modules/.bin/redocly', ['lint', document, ...recommended], {
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
const { problems } = JSON.parse(stdout);
if (problems.length > 0) throw new Error(`Redocly: ${JSON.stringify(problems, null, 2)}`);
// With this option, a member that has a default may be left out of a request.
const asSent = ['--default-non-nullable', 'false'];
const types = [document, '-o', 'generated/openapi-fetch.ts', ...asSent];
await run('node_modules/.bin/openapi-typescript', types);
await createClient({ input: document, output: 'generated/hey-api', logs: { level: 'error' } });
await generateOrval({
  input: { target: document },
  output: { target: 'generated/orval/api.ts', client: 'fetch', mode: 'single' },
});
await generateCodegen({ input: document, output: 'generated/codegen', httpClient: 'fetch' });
await generateApi({
  input: document,
  output: `${process.cwd()}/generated/swagger-typescript-api`,
  fileName: 'api.ts',
  silent: true,
});
// The compiler checks that the walks call the generated code with the right types.
await run('node_modules/.bin/tsc', ['-p', '.']);
const walks = await readdir('walks');
await build({
  entryPoints: walks.map((file) => `walks/${file}`),
  outdir: 'built',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});
