import type { KubernetesObject } from '../../../scripts/manifests.ts';

/*
 * Types of the objects in the manifests, with those fields that a rule reads. A schema checks the objects themselves.
 */

type Labels = Readonly<Record<string, string>>;

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: {
      readonly name: string;
      readonly key: string;
      readonly optional?: boolean;
    };
  };
}

interface Probe {
  readonly timeoutSeconds?: number;
  readonly httpGet?: { readonly path: string; readonly port: string | number };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: object;
  }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: {
    readonly preStop?: { readonly exec?: { readonly command: readonly string[] } };
  };
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly privileged?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey: string;
    readonly labelSelector: { readonly matchLabels: Labels };
  }[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly emptyDir?: { readonly sizeLimit?: string };
  }[];
}

/** A Deployment or a Job. */
export interface Workload extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

interface Selecting extends KubernetesObject {
  readonly spec: { readonly selector: { readonly matchLabels: Labels } };
}

interface Service extends KubernetesObject {
  readonly spec: {
    readonly selector: Labels;
    readonly ports: readonly {
      readonly name: string;
      readonly port: number;
      readonly targetPort: string | number;
    }[];
  };
}

interface NetworkPolicy extends KubernetesObject {
  readonly spec: {
    readonly podSelector: { readonly matchLabels?: Labels };
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly {
      readonly from?: readonly object[];
      readonly ports?: readonly object[];
    }[];
    readonly egress?: readonly { readonly ports?: readonly { readonly port: number | string }[] }[];
  };
}

interface ConfigMap extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>;
}

interface Ingress extends KubernetesObject {
  readonly spec: {
    readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
    readonly rules: readonly {
      readonly host: string;
      readonly http: {
        readonly paths: readonly {
          readonly backend: {
            readonly service: { readonly name: string; readonly port: { readonly name: string } };
          };
        }[];
      };
    }[];
  };
}

interface Kinds {
  readonly ConfigMap: ConfigMap;
  readonly Deployment: Workload;
  readonly Ingress: Ingress;
  readonly Job: Workload;
  readonly Namespace: KubernetesObject;
  readonly NetworkPolicy: NetworkPolicy;
  readonly PodDisruptionBudget: Selecting;
  readonly ScaledObject: KubernetesObject;
  readonly Secret: KubernetesObject;
  readonly Service: Service;
  readonly ServiceAccount: KubernetesObject;
}

export const ofKind = <Kind extends keyof Kinds>(
  objects: readonly KubernetesObject[],
  kind: Kind,
): readonly Kinds[Kind][] =>
  objects.filter((object) => object.kind === kind) as unknown as readonly Kinds[Kind][];

export const workloads = (objects: readonly KubernetesObject[]): readonly Workload[] => [
  ...ofKind(objects, 'Deployment'),
  ...ofKind(objects, 'Job'),
];

/** Returns whether a selector selects these labels. An empty selector would select everything. */
export const selects = (wanted: Labels | undefined, labels: Labels): boolean =>
  wanted !== undefined &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(([name, value]) => labels[name] === value);
