import { describe, expect, test } from 'vitest';
import { connectionSum } from '../../../scripts/manifest-connections.ts';
import type { KubernetesObject } from '../../../scripts/manifests.ts';
import { renderedObjects } from '../../../scripts/manifests.ts';
import { POLICIES } from './policies.ts';
import { schemaDefects } from './schemas.ts';

/* Tests that the rules detect mistakes. Each change below is a plausible mistake, with the rule that must detect it. */

type Tree = Record<string, unknown>;

/** Returns the value at a path. In the path, an item of an array is named by its index. */
const at = (root: unknown, path: readonly string[]): Tree =>
  path.reduce<Tree>((node, key) => node[key] as Tree, root as Tree);

interface Change {
  /** The object that is changed, as `Kind name`. */
  readonly of: string;
  readonly path: string;
  /** The new value; if absent, the field is removed. */
  readonly to?: unknown;
}

function changed({ of, path, to }: Change): readonly KubernetesObject[] {
  const objects = structuredClone(renderedObjects('ha')) as KubernetesObject[];
  const object = objects.find(({ kind, metadata }) => `${kind} ${metadata.name}` === of);
  if (object === undefined) throw new Error(`there is no ${of}`);
  const keys = path.split('.').map((key) => key.replaceAll('~', '.'));
  const parent = at(object, keys.slice(0, -1));
  const last = keys.at(-1) ?? '';
  if (to === undefined) delete parent[last];
  else parent[last] = to;
  return objects;
}

const POD = 'spec.template.spec';
const MAIN = `${POD}.containers.0`;
const WORKER = 'Deployment tenure-worker';

const MISTAKES: readonly (readonly [rule: keyof typeof POLICIES, change: Change])[] = [
  ['images', { of: WORKER, path: `${MAIN}.image`, to: 'registry.example.com/tenure:latest' }],
  ['images', { of: WORKER, path: `${MAIN}.image`, to: 'tenure' }],
  ['resources', { of: WORKER, path: `${MAIN}.resources.limits.memory` }],
  ['locked', { of: WORKER, path: `${POD}.securityContext.runAsNonRoot` }],
  ['locked', { of: WORKER, path: `${POD}.securityContext.seccompProfile` }],
  [
    'locked',
    { of: 'Job tenure-migration', path: `${MAIN}.securityContext.readOnlyRootFilesystem` },
  ],
  ['locked', { of: WORKER, path: `${MAIN}.securityContext.capabilities.drop`, to: ['NET_RAW'] }],
  ['locked', { of: WORKER, path: `${POD}.volumes.0.emptyDir`, to: {} }],
  ['probes', { of: WORKER, path: `${MAIN}.livenessProbe` }],
  ['probes', { of: WORKER, path: `${MAIN}.readinessProbe.timeoutSeconds`, to: 1 }],
  ['probes', { of: WORKER, path: `${MAIN}.startupProbe.httpGet.port`, to: 'web' }],
  ['stops', { of: WORKER, path: `${POD}.terminationGracePeriodSeconds`, to: 30 }],
  ['stops', { of: WORKER, path: `${MAIN}.lifecycle` }],
  ['secrets', { of: WORKER, path: `${MAIN}.env.0`, to: { name: 'DATABASE_URL', value: 'x' } }],
  [
    'secrets',
    {
      of: 'Job tenure-migration',
      path: `${MAIN}.env.0`,
      to: { name: 'DATABASE_MIGRATION_URL', value: 'x' },
    },
  ],
  ['secrets', { of: WORKER, path: 'kind', to: 'Secret' }],
  ['settings', { of: WORKER, path: `${MAIN}.env.1.name`, to: 'TENURE_ROLE' }],
  ['settings', { of: WORKER, path: `${MAIN}.envFrom.0.configMapRef.name`, to: 'others' }],
  ['selectors', { of: WORKER, path: 'spec.selector.matchLabels', to: {} }],
  ['selectors', { of: 'PodDisruptionBudget tenure-worker', path: 'kind', to: 'Budget' }],
  ['selectors', { of: WORKER, path: `${POD}.topologySpreadConstraints`, to: [] }],
  ['services', { of: 'Service tenure-api', path: 'spec.ports.0.targetPort', to: 'web' }],
  ['services', { of: 'Service tenure-api', path: 'spec.selector', to: { app: 'tenure' } }],
  [
    'ingresses',
    {
      of: 'Ingress tenure',
      path: 'metadata.annotations.nginx~ingress~kubernetes~io/proxy-buffering',
    },
  ],
  ['ingresses', { of: 'Ingress tenure', path: 'spec.tls', to: [] }],
  ['ingresses', { of: 'Ingress tenure', path: 'spec.rules.0.host', to: 'other.example.com' }],
  ['networks', { of: 'NetworkPolicy tenure', path: 'spec.policyTypes', to: ['Ingress'] }],
  ['networks', { of: 'NetworkPolicy tenure-ingress', path: 'spec.ingress.0.from', to: [] }],
  ['accounts', { of: 'ServiceAccount tenure', path: 'metadata.name', to: 'default' }],
];

test('every rule has a mistake that it finds', () => {
  expect(new Set(MISTAKES.map(([rule]) => rule))).toEqual(new Set(Object.keys(POLICIES)));
});

test.each(MISTAKES)('%s finds %o', (rule, change) => {
  expect(POLICIES[rule]?.(changed(change)).length).toBeGreaterThan(0);
});

describe('schemas', () => {
  const worker = (change: Omit<Change, 'of'>): KubernetesObject => {
    const found = changed({ of: WORKER, ...change }).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tenure-worker',
    );
    if (found === undefined) throw new Error('there is no worker');
    return found;
  };

  test.each([
    ['a misspelt field', { path: `${MAIN}.readynessProbe`, to: {} }, 'is no field of it'],
    ['a value of another type', { path: 'spec.replicas', to: 'three' }, '/spec/replicas'],
    ['a field that is missing', { path: `${POD}.containers` }, 'containers'],
  ])('find %s', async (_what, change, said) => {
    expect((await schemaDefects(worker(change))).join('\n')).toContain(said);
  });

  test('find a kind that nobody has a schema for', async () => {
    const object = { ...worker({ path: 'spec.replicas', to: 1 }), kind: 'Deploymint' };
    expect(await schemaDefects(object)).toHaveLength(1);
  });
});

describe('connections', () => {
  const { total, available } = connectionSum(renderedObjects('ha'));

  test('one process more is counted with all that it opens', () => {
    const more = connectionSum(changed({ of: WORKER, path: 'spec.replicas', to: 4 }));
    const each = more.roles.find(({ role }) => role === 'worker')?.each ?? 0;
    expect(each).toBeGreaterThan(12);
    expect(more.total).toBe(total + each);
  });

  test('too many are found', () => {
    const many = connectionSum(changed({ of: WORKER, path: 'spec.replicas', to: 40 }));
    expect(many.total).toBeGreaterThan(available);
  });

  test('a queue in PostgreSQL costs connections, of workers most', () => {
    const { roles } = connectionSum(renderedObjects('small'));
    const each = Object.fromEntries(
      roles.map(({ role, each: connections }) => [role, connections]),
    );
    expect(each['worker']).toBeGreaterThan(each['api'] ?? 0);
    expect(each['api']).toBeGreaterThan(each['clock'] ?? 0);
  });
});
