import type { KubernetesObject } from '../../../scripts/manifests.ts';

/*
 * Checks objects against the published schemas of their kinds. The schemas permit unknown fields, and so does the
 * cluster, which drops them: a misspelt field would be lost silently. Therefore fields that a schema never reads are
 * reported too.
 */

/** A class that a published model exports for a kind. */
interface Model {
  new (object: KubernetesObject): { validate(): void };
}

/** The package with the models of an API group; all other groups are Kubernetes' own. */
const MODELS: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

async function modelOf({ apiVersion, kind }: KubernetesObject): Promise<Model | null> {
  const [group = ''] = apiVersion.split('/');
  try {
    const module = (await import(
      `${MODELS[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`
    )) as Readonly<Record<string, Model>>;
    return module[kind] ?? null;
  } catch {
    return null;
  }
}

/** A proxy of the value that records which fields are read. */
function noting(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key !== 'string') return Reflect.get(target, key);
      seen.add(`${path}/${key}`);
      return noting(Reflect.get(target, key), `${path}/${key}`, seen);
    },
  });
}

/** Returns the outermost fields that were never read. */
function unseen(value: unknown, path: string, seen: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    seen.has(`${path}/${key}`) ? unseen(inner, `${path}/${key}`, seen) : [`${path}/${key}`],
  );
}

/** Returns the errors of an object by the schema of its kind; a kind without a schema is an error as well. */
export async function schemaDefects(object: KubernetesObject): Promise<readonly string[]> {
  const who = `${object.kind} ${object.metadata.name}`;
  const model = await modelOf(object);
  if (model === null) return [`${who}: there is no schema for ${object.apiVersion}`];
  const seen = new Set<string>();
  const wrong: string[] = [];
  try {
    (noting(new model(object), '', seen) as InstanceType<Model>).validate();
  } catch (error) {
    wrong.push(`${who}: ${String(error)}`);
  }
  return [...wrong, ...unseen(object, '', seen).map((path) => `${who}: ${path} is no field of it`)];
}
