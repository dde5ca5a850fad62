import type { KubernetesObject } from '../../../scripts/manifests.ts';

/*
 * Checks objects with the published schemas of their kinds. The schemas permit unknown fields. The cluster permits them
 * too, but drops them, so a misspelt field would be lost without an error. Therefore, fields that a schema never reads
 * are also reported.
 */

/** A class that a published model exports for a kind of object. */
interface Model {
  new (object: KubernetesObject): { validate(): void };
}

/** The package that contains the models of an API group. All other groups belong to Kubernetes itself. */
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

/** Returns a proxy of the value that records which of its fields are read. */
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

/** Returns the fields that were never read. If nested fields were never read, only the outermost one is returned. */
function unseen(value: unknown, path: string, seen: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    seen.has(`${path}/${key}`) ? unseen(inner, `${path}/${key}`, seen) : [`${path}/${key}`],
  );
}

/**
 * Returns what is wrong with an object according to the schema of its kind. A kind without a schema is an error as
 * well.
 */
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
