import { LIMITS } from '../../../src/domain/limits.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { Environment } from '../../../src/main/environment.ts';
import { MAIN_LIMITS } from '../../../src/main/limits.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import type { KubernetesObject } from '../../../scripts/manifests.ts';
import type { Container, Workload } from './objects.ts';
import { ofKind, selects, workloads } from './objects.ts';

/** A rule. It returns a line for each violation by the objects of a deployment. */
export type Policy = (objects: readonly KubernetesObject[]) => readonly string[];

const called = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

/** Returns a line for each demand that is not met. */
const unmet = (who: string, demands: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(demands).flatMap(([demand, isMet]) => (isMet ? [] : [`${who}: ${demand}`]));

const eachContainer =
  (
    demands: (container: Container, workload: Workload) => Readonly<Record<string, boolean>>,
  ): Policy =>
  (objects) =>
    workloads(objects).flatMap((workload) =>
      workload.spec.template.spec.containers.flatMap((container) =>
        unmet(called(workload), demands(container, workload)),
      ),
    );

/**
 * The maximum duration of a stop. In the worst case, it waits for all of these, one after another: HTTP, relay, worker,
 * pool and spans.
 */
export const STOP_MS =
  3 * LIMITS.drainMs + QUEUE_LIMITS.handBackMs + MAIN_LIMITS.closeMs + MAIN_LIMITS.spansFlushMs;

const pauseBeforeStopMs = (container: Container | undefined): number =>
  1_000 * Number(container?.lifecycle?.preStop?.exec?.command[1] ?? 0);

const isWhole = (container: Container): boolean => {
  const { requests = {}, limits = {} } = container.resources ?? {};
  return ['cpu', 'memory'].every((name) => name in requests && name in limits);
};

const images = eachContainer(({ image }) => ({
  'the image has a tag or a digest, and it is not latest':
    /(?::[\w.-]+|@sha256:[0-9a-f]{64})$/u.test(image) && !image.endsWith(':latest'),
}));

const resources = eachContainer((container) => ({
  'requests and limits of processor and memory are set': isWhole(container),
}));

const locked = eachContainer(({ securityContext, volumeMounts = [] }, workload) => {
  const { spec } = workload.spec.template;
  const pod = spec.securityContext;
  return {
    'it does not run as root': pod?.runAsNonRoot === true && (pod.runAsUser ?? 0) > 0,
    'system calls are filtered': pod?.seccompProfile?.type === 'RuntimeDefault',
    'it cannot gain rights': securityContext?.allowPrivilegeEscalation === false,
    'its file system is read-only': securityContext?.readOnlyRootFilesystem === true,
    'it has no capabilities':
      securityContext?.capabilities?.drop?.includes('ALL') === true &&
      (securityContext.capabilities.add ?? []).length === 0,
    'it is not privileged, and not on the network of its node':
      securityContext?.privileged !== true && spec.hostNetwork !== true && spec.hostPID !== true,
    'it has no token for the cluster': spec.automountServiceAccountToken === false,
    'what it writes has bounds': volumeMounts.every(({ name }) =>
      spec.volumes?.some(
        (volume) => volume.name === name && volume.emptyDir?.sizeLimit !== undefined,
      ),
    ),
  };
});

/**
 * Returns whether a role is ready only if everything that it needs is available. This is so for all roles except `api`,
 * which still answers reads while the participant is unreachable.
 */
const isAskedAll = ({ metadata }: { readonly metadata: { readonly name: string } }): boolean =>
  !metadata.name.endsWith('-api');

const probes: Policy = (objects) =>
  ofKind(objects, 'Deployment').flatMap((workload) =>
    workload.spec.template.spec.containers.flatMap(
      ({ ports = [], startupProbe, livenessProbe, readinessProbe }) => {
        const asked = [startupProbe, livenessProbe, readinessProbe];
        return unmet(called(workload), {
          'it is asked whether it lives': livenessProbe?.httpGet?.path === '/livez',
          'it has time to start': startupProbe?.httpGet?.path === '/livez',
          'it is asked whether it is ready': isAskedAll(workload)
            ? readinessProbe?.httpGet?.path === '/readyz'
            : readinessProbe?.httpGet?.path === '/readyz?exclude=ledger',
          'an answer about readiness has the time that it may take':
            1_000 * (readinessProbe?.timeoutSeconds ?? 1) > HTTP_LIMITS.readinessMs,
          'its probes ask a port that it has': asked.every((probe) =>
            ports.some(({ name }) => name === probe?.httpGet?.port),
          ),
        });
      },
    ),
  );

const stops: Policy = (objects) =>
  ofKind(objects, 'Deployment').flatMap((workload) => {
    const { terminationGracePeriodSeconds = 30, containers } = workload.spec.template.spec;
    const neededMs = pauseBeforeStopMs(containers[0]) + STOP_MS;
    return unmet(called(workload), {
      [`it has more than the ${neededMs} ms that a stop may take`]:
        1_000 * terminationGracePeriodSeconds > neededMs,
      'it is left to finish what was sent to it': pauseBeforeStopMs(containers[0]) > 0,
    });
  });

/** Matches settings whose values readers of manifests must not see. */
const SECRET = /SECRET|TOKEN|PASSWORD|_HEADERS$|^DATABASE_\w*URL$|^REDIS_URL$/u;

const secrets: Policy = (objects) => [
  ...ofKind(objects, 'Secret').map((object) => `${called(object)}: a secret is in the manifests`),
  ...ofKind(objects, 'ConfigMap').flatMap((map) =>
    Object.keys(map.data)
      .filter((name) => SECRET.test(name))
      .map((name) => `${called(map)}: ${name} is a secret`),
  ),
  ...eachContainer(({ env = [], envFrom = [] }) => ({
    'secrets come by reference': env.every(
      ({ name, value }) => value === undefined || !SECRET.test(name),
    ),
    'no secret is taken whole': envFrom.every(({ secretRef }) => secretRef === undefined),
  }))(objects),
];

const settings: Policy = (objects) => {
  const known = new Set(Object.keys(Environment.properties));
  const maps = ofKind(objects, 'ConfigMap');
  return workloads(objects).flatMap((workload) =>
    workload.spec.template.spec.containers.flatMap(({ env = [], envFrom = [] }) => {
      const named = envFrom.map(({ configMapRef }) => configMapRef?.name);
      const from = maps.filter(({ metadata }) => named.includes(metadata.name));
      const names = [
        ...env.map(({ name }) => name),
        ...from.flatMap(({ data }) => Object.keys(data)),
      ];
      return [
        ...unmet(called(workload), { 'its settings are there': from.length === named.length }),
        ...names
          .filter((name) => !known.has(name))
          .map((name) => `${called(workload)}: ${name} is not a setting of Tenure`),
      ];
    }),
  );
};

const podsOf = (objects: readonly KubernetesObject[]) =>
  workloads(objects).map(({ spec }) => spec.template);

const selectors: Policy = (objects) => [
  ...ofKind(objects, 'Deployment').flatMap(({ spec, ...workload }) =>
    unmet(called(workload), {
      'it finds its own pods': selects(spec.selector?.matchLabels, spec.template.metadata.labels),
      'it finds no pods of others':
        podsOf(objects).filter(({ metadata }) =>
          selects(spec.selector?.matchLabels, metadata.labels),
        ).length === 1,
      'its processes are spread': (spec.template.spec.topologySpreadConstraints ?? []).some(
        ({ topologyKey, labelSelector }) =>
          topologyKey === 'kubernetes.io/hostname' &&
          selects(labelSelector.matchLabels, spec.template.metadata.labels),
      ),
      'losing nodes on purpose goes one by one': ofKind(objects, 'PodDisruptionBudget').some(
        (budget) => selects(budget.spec.selector.matchLabels, spec.template.metadata.labels),
      ),
    }),
  ),
  ...ofKind(objects, 'PodDisruptionBudget').flatMap((budget) =>
    unmet(called(budget), {
      'it is of one role':
        podsOf(objects).filter(({ metadata }) =>
          selects(budget.spec.selector.matchLabels, metadata.labels),
        ).length === 1,
    }),
  ),
];

const services: Policy = (objects) =>
  ofKind(objects, 'Service').flatMap((service) => {
    const pods = podsOf(objects).filter(({ metadata }) =>
      selects(service.spec.selector, metadata.labels),
    );
    const ports = pods.flatMap(({ spec }) => spec.containers.flatMap(({ ports: has = [] }) => has));
    return unmet(called(service), {
      'it leads somewhere': pods.length > 0,
      'its ports are there': service.spec.ports.every(({ targetPort }) =>
        ports.some(
          ({ name, containerPort }) => name === targetPort || containerPort === targetPort,
        ),
      ),
    });
  });

const ingresses: Policy = (objects) =>
  ofKind(objects, 'Ingress').flatMap((ingress) => {
    const { annotations = {} } = ingress.metadata;
    const readS = Number(annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'] ?? 60);
    const hosts = ingress.spec.tls?.flatMap((tls) => tls.hosts) ?? [];
    const backends = ingress.spec.rules.flatMap(({ http }) =>
      http.paths.map(({ backend }) => backend.service),
    );
    return unmet(called(ingress), {
      'nothing of the events is kept back':
        annotations['nginx.ingress.kubernetes.io/proxy-buffering'] === 'off',
      'a quiet stream of events is not cut': 1_000 * readS > 4 * HTTP_LIMITS.eventHeartbeatMs,
      'every host has TLS': ingress.spec.rules.every(({ host }) => hosts.includes(host)),
      'its services and their ports are there': backends.every(({ name, port }) =>
        ofKind(objects, 'Service').some(
          ({ metadata, spec }) =>
            metadata.name === name && spec.ports.some((has) => has.name === port.name),
        ),
      ),
    });
  });

const networks: Policy = (objects) => {
  const policies = ofKind(objects, 'NetworkPolicy');
  return [
    ...workloads(objects).flatMap((workload) =>
      unmet(called(workload), {
        'what goes in and out is said': policies.some(
          ({ spec }) =>
            selects(spec.podSelector.matchLabels, workload.spec.template.metadata.labels) &&
            ['Ingress', 'Egress'].every((type) => spec.policyTypes.includes(type)),
        ),
      }),
    ),
    ...policies.flatMap((policy) =>
      unmet(called(policy), {
        'nothing comes in from everywhere': (policy.spec.ingress ?? []).every(
          ({ from = [], ports = [] }) => from.length > 0 && ports.length > 0,
        ),
        'what goes out has a port': (policy.spec.egress ?? []).every(
          ({ ports = [] }) => ports.length > 0,
        ),
        'it is of pods that there are': podsOf(objects).some(({ metadata }) =>
          selects(policy.spec.podSelector.matchLabels, metadata.labels),
        ),
      }),
    ),
  ];
};

const accounts: Policy = (objects) =>
  workloads(objects).flatMap((workload) =>
    unmet(called(workload), {
      'its account is there': ofKind(objects, 'ServiceAccount').some(
        ({ metadata }) => metadata.name === workload.spec.template.spec.serviceAccountName,
      ),
      'its priority is said': workload.spec.template.spec.priorityClassName === 'tenure',
    }),
  );

export const POLICIES: Readonly<Record<string, Policy>> = {
  images,
  resources,
  locked,
  probes,
  stops,
  secrets,
  settings,
  selectors,
  services,
  ingresses,
  networks,
  accounts,
};
