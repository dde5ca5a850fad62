import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapi, { astToString } from 'openapi-typescript';

/*
 * Writes the types of the API's client. The first line contains the hash of the API document, so that a test can detect
 * an outdated file without the packages of this folder.
 */

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const document = readFileSync(path('../../docs/openapi.json'), 'utf8');
const types = astToString(await openapi(JSON.parse(document)));
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const head = `// Written by web/tools/write-schema.ts: run make web-client. document ${digest(document)} types ${digest(types)}`;
writeFileSync(path('../../client/schema.ts'), `${head}\n${types}`);
