import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  connectionSum,
  connectionTable,
  withConnectionTable,
} from '../../../scripts/manifest-connections.ts';
import type { KubernetesObject } from '../../../scripts/manifests.ts';
import {
  PROMETHEUS_RULE,
  findKustomize,
  objectsIn,
  prometheusRule,
  render,
  renderedFile,
  renderedNames,
  renderedObjects,
  sourcesHash,
} from '../../../scripts/manifests.ts';
import { newSealingKey } from '../../../src/domain/sealing.ts';
import { loadConfig } from '../../../src/main/config.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { alertRules } from '../../kit/watching.ts';
import { POLICIES } from './policies.ts';
import { ofKind, workloads } from './objects.ts';
import { schemaDefects } from './schemas.ts';

const names = renderedNames();
const overlays = names.filter((name) => name !== 'cluster');
const kustomize = findKustomize();
if (kustomize === null) {
  console.warn(
    'NOT TESTED with Kustomize: rendering anew; neither kustomize nor kubectl is installed',
  );
}

test('what is kept was rendered from what is here', () => {
  const sources = sourcesHash();
  for (const name of names) {
    const [head] = readFileSync(renderedFile(name), 'utf8').split('\n');
    expect(head, `${name}: call \`make manifests\``).toContain(sources);
  }
});

test('the rules for the Prometheus operator are those of deploy/prometheus', () => {
  expect(readFileSync(PROMETHEUS_RULE, 'utf8')).toBe(prometheusRule());
});

test('no rule waits for more jobs than a relay lets wait: what is late is in the outbox', () => {
  const most = QUEUE_LIMITS.waitingMax;
  const limits = alertRules()
    .filter(({ expr }) => expr.includes('tenure_queue_jobs'))
    .map(({ expr }) => Number(/> (\d+)$/u.exec(expr)?.[1]));
  for (const limit of limits) expect(limit).toBeLessThan(most);
  const grows = alertRules().find(({ alert }) => alert === 'TenureQueueGrows');
  expect(grows?.expr).toContain('tenure_effects{state="due"}');
});

/** Sorts the objects, because versions of Kustomize write them in different orders. */
const inOrder = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.toSorted((a, b) =>
    `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`),
  );

test.each(names)('Kustomize makes of %s what is kept', (name) => {
  const anew = kustomize === null ? renderedObjects(name) : objectsIn(render(kustomize, name));
  expect(inOrder(anew)).toEqual(inOrder(renderedObjects(name)));
});

test.each(names)('every object of %s is what its schema allows', async (name) => {
  const defects = await Promise.all(renderedObjects(name).map(schemaDefects));
  expect(defects.flat()).toEqual([]);
});

test('what an overlay may choose instead is what its schema allows', async () => {
  const route = objectsIn(
    readFileSync('deploy/kubernetes/components/gateway/http-route.yaml', 'utf8'),
  );
  expect((await Promise.all(route.map(schemaDefects))).flat()).toEqual([]);
});

test('a gateway passes on no forwarded header that it does not set', () => {
  const route = readFileSync('deploy/kubernetes/components/gateway/http-route.yaml', 'utf8');
  const [, removed = ''] = /requestHeaderModifier:\n\s+remove: \[(.*)\]/u.exec(route) ?? [];
  expect(removed.split(', ')).toEqual([
    'Forwarded',
    'X-Forwarded-Host',
    'X-Forwarded-Port',
    'X-Forwarded-Prefix',
  ]);
});

describe.each(overlays)('overlay %s', (name) => {
  const objects = renderedObjects(name);

  test.each(Object.entries(POLICIES))('keeps the rules: %s', (_rule, policy) => {
    expect(policy(objects)).toEqual([]);
  });

  test('has one deployment a role', () => {
    expect(
      connectionSum(objects)
        .roles.map(({ role }) => role)
        .sort(),
    ).toEqual(['api', 'clock', 'projector', 'worker']);
  });

  test('cannot open more database connections than its server has', () => {
    const { total, available } = connectionSum(objects);
    expect(total).toBeLessThanOrEqual(available);
  });

  test('is in one namespace, which is its own', () => {
    const [namespace] = ofKind(objects, 'Namespace');
    const others = objects.filter(({ kind }) => kind !== 'Namespace');
    expect([...new Set(others.map(({ metadata }) => metadata.namespace))]).toEqual([
      namespace?.metadata.name,
    ]);
  });

  test('starts: its settings and what its secrets hold are a whole configuration', () => {
    const maps = ofKind(objects, 'ConfigMap');
    for (const { spec } of ofKind(objects, 'Deployment')) {
      const [{ env = [], envFrom = [] } = { env: [] }] = spec.template.spec.containers;
      const data = maps.find(
        ({ metadata }) => metadata.name === envFrom[0]?.configMapRef?.name,
      )?.data;
      const needed = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.optional !== true);
      const held = {
        DATABASE_URL: 'postgresql://tenure:secret@database/tenure?sslmode=verify-full',
        REDIS_URL: 'rediss://queue:6379',
        TENURE_SECRET_KEYS: newSealingKey(),
      };
      const config = loadConfig({
        ...data,
        ...Object.fromEntries(
          needed.map(({ name: variable, value }) => [
            variable,
            value ?? held[variable as keyof typeof held] ?? 'secret',
          ]),
        ),
      });
      expect(data).not.toHaveProperty('TENURE_EXCEPTIONS');
      expect(config.roles.size).toBe(1);
      expect(config.http.port).toBe(spec.template.spec.containers[0]?.ports?.[0]?.containerPort);
    }
  });

  test('its migration job is behind the production gate', () => {
    for (const { spec } of ofKind(objects, 'Job')) {
      const names = spec.template.spec.containers.flatMap(({ env = [] }) =>
        env.map(({ name: variable, value }) => [variable, value]),
      );
      expect(names).toContainEqual(['TENURE_ENVIRONMENT', 'production']);
    }
  });

  test('takes the image of this version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const images = workloads(objects).flatMap(({ spec }) =>
      spec.template.spec.containers.map(({ image }) => image),
    );
    expect(new Set(images)).toEqual(new Set([`registry.example.com/tenure:${version}`]));
  });
});

test('the priority that processes ask for is what a cluster has', () => {
  expect(renderedObjects('cluster').map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ['PriorityClass', 'tenure'],
  ]);
});

test('nothing is scaled by load unless an overlay asks for it', () => {
  const scaled = overlays.filter(
    (name) => ofKind(renderedObjects(name), 'ScaledObject').length > 0,
  );
  expect(scaled).toEqual(['ha-keda']);
});

test('docs/SCALING.md tells of the connections that the overlays come to', () => {
  const page = readFileSync('docs/SCALING.md', 'utf8');
  const sums = new Map(overlays.map((name) => [name, connectionSum(renderedObjects(name))]));
  expect(page).toBe(withConnectionTable(page, connectionTable(sums)));
  expect(page).toContain(connectionTable(sums));
});
