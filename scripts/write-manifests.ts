import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  PROMETHEUS_RULE,
  ROOT,
  findKustomize,
  objectsIn,
  prometheusRule,
  render,
  renderedFile,
  renderedNames,
  sourcesHash,
} from './manifests.ts';
import type { ConnectionSum } from './manifest-connections.ts';
import { connectionSum, connectionTable, withConnectionTable } from './manifest-connections.ts';

/*
 * Writes what Kustomize renders from the overlays. Refuses an overlay whose processes could open more connections than
 * its server permits. Run this script after a change in deploy/.
 */

const kustomize = findKustomize();
if (kustomize === null) {
  throw new Error('rendering needs kustomize 5 or newer, or a kubectl that has it');
}
writeFileSync(PROMETHEUS_RULE, prometheusRule());
mkdirSync(`${ROOT}/rendered`, { recursive: true });
const sources = sourcesHash();
const sums = new Map<string, ConnectionSum>();
for (const name of renderedNames()) {
  const text = render(kustomize, name);
  if (name !== 'cluster') {
    const sum = connectionSum(objectsIn(text));
    const { total, available } = sum;
    sums.set(name, sum);
    if (!(total <= available)) {
      throw new Error(
        `${name}: up to ${total} database connections, and the server has ${available}`,
      );
    }
  }
  const head = `# Written by \`make manifests\`. Sources: sha256 ${sources}\n`;
  writeFileSync(renderedFile(name), `${head}${text}`);
}

const PAGE = 'docs/SCALING.md';
writeFileSync(PAGE, withConnectionTable(readFileSync(PAGE, 'utf8'), connectionTable(sums)));
