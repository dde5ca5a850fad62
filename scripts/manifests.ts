import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/*
 * The manifests in deploy/kubernetes: their sources, and what Kustomize renders from them. The result for each overlay
 * is committed, for review and for checks on machines without Kustomize.
 */

export const ROOT = 'deploy/kubernetes';
export const PROMETHEUS_RULE = `${ROOT}/components/monitoring/prometheus-rule.yaml`;
const ALERTS = 'deploy/prometheus/alerts.yaml';

/** A Kubernetes object of any kind. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Returns the names of all folders that are rendered: the overlays, and the objects that a cluster needs only once. */
export const renderedNames = (): readonly string[] => [
  'cluster',
  ...readdirSync(`${ROOT}/overlays`).sort(),
];

const folderOf = (name: string): string =>
  name === 'cluster' ? `${ROOT}/cluster` : `${ROOT}/overlays/${name}`;

export const renderedFile = (name: string): string => `${ROOT}/rendered/${name}.yaml`;

/** Returns the alert rules in the format that the Prometheus operator reads. */
export function prometheusRule(): string {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { readonly groups: unknown };
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tenure' },
    spec: { groups },
  };
  return `# Written by \`make manifests\` from ${ALERTS}.\n${stringify(rule, { lineWidth: 0 })}`;
}

/** Returns a hash that changes whenever one of the files changes from which manifests are rendered. */
export function sourcesHash(): string {
  const files = ['deploy/kubernetes', 'deploy/grafana'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.startsWith(`${ROOT}/rendered/`)),
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\0${readFileSync(file, 'utf8')}\0`);
  return hash.digest('hex');
}

/** The minimum major version of Kustomize. Earlier versions do not support components, or write labels differently. */
const KUSTOMIZE_MAJOR_MIN = 5;

function majorOf(program: string, args: readonly string[], version: RegExp): number {
  const { stdout, error } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined ? Number(version.exec(stdout)?.[1] ?? 0) : 0;
}

/** Returns the command with which Kustomize runs on this machine; `null` if there is none, or only an older version. */
export function findKustomize(): readonly string[] | null {
  if (majorOf('kustomize', ['version'], /^v(\d+)/u) >= KUSTOMIZE_MAJOR_MIN) {
    return ['kustomize', 'build'];
  }
  const inKubectl = majorOf('kubectl', ['version', '--client'], /kustomize version: v(\d+)/iu);
  return inKubectl >= KUSTOMIZE_MAJOR_MIN ? ['kubectl', 'kustomize'] : null;
}

/** Renders a folder. @throws Error with Kustomize's output */
export function render(kustomize: readonly string[], name: string): string {
  const [program = '', ...args] = kustomize;
  const run = spawnSync(program, [...args, folderOf(name)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${name}: ${run.stderr || String(run.error)}`);
  return run.stdout;
}

export const objectsIn = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);

const kept = new Map<string, readonly KubernetesObject[]>();

/**
 * Returns the committed result for an overlay. Callers must not change it, because all callers get the same objects.
 */
export function renderedObjects(name: string): readonly KubernetesObject[] {
  const objects = kept.get(name) ?? objectsIn(readFileSync(renderedFile(name), 'utf8'));
  kept.set(name, objects);
  return objects;
}
