import type { ProcessRole } from '../src/main/config.ts';
import { connectionsOf } from '../src/main/connections.ts';
import type { KubernetesObject } from './manifests.ts';

/**
 * The maximum number of PostgreSQL connections that one deployment's manifests can open, and the number that its server
 * permits.
 */
export interface ConnectionSum {
  readonly roles: readonly RoleConnections[];
  /** The connections of the processes of all roles while every role is rolled out, and of the migration. */
  readonly total: number;
  /**
   * The number of connections that the overlay states for its server, minus those that PostgreSQL reserves for
   * superusers.
   */
  readonly available: number;
}

export interface RoleConnections {
  readonly role: string;
  readonly replicas: number;
  /** The number of additional processes that run while a new version is rolled out. */
  readonly surge: number;
  /** The maximum number of connections that each process opens. */
  readonly each: number;
}

export const STATED = 'tenure/max-connections';
/** The default of PostgreSQL's setting `superuser_reserved_connections`. */
const RESERVED = 3;
/** The number of connections of the migration job. */
const MIGRATION = 1;

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number } };
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly envFrom: readonly [{ readonly configMapRef: { readonly name: string } }];
            readonly env: readonly { readonly name: string; readonly value?: string }[];
          },
        ];
      };
    };
  };
}
interface ScaledObject extends KubernetesObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly maxReplicaCount: number;
  };
}
interface ConfigMap extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>;
}

interface Kinds {
  readonly ConfigMap: ConfigMap;
  readonly Deployment: Deployment;
  readonly Namespace: KubernetesObject;
  readonly ScaledObject: ScaledObject;
}

const ofKind = <Kind extends keyof Kinds>(
  objects: readonly KubernetesObject[],
  kind: Kind,
): readonly Kinds[Kind][] =>
  objects.filter((object) => object.kind === kind) as unknown as readonly Kinds[Kind][];

function ofDeployment(
  deployment: Deployment,
  objects: readonly KubernetesObject[],
): RoleConnections {
  const [container] = deployment.spec.template.spec.containers;
  const settings = ofKind(objects, 'ConfigMap').find(
    ({ metadata }) => metadata.name === container.envFrom[0].configMapRef.name,
  );
  const role = container.env.find(({ name }) => name === 'TENURE_ROLES')?.value ?? '';
  const scaled = ofKind(objects, 'ScaledObject').find(
    ({ spec }) => spec.scaleTargetRef.name === deployment.metadata.name,
  );
  return {
    role,
    replicas: scaled?.spec.maxReplicaCount ?? deployment.spec.replicas ?? 1,
    surge: deployment.spec.strategy.rollingUpdate.maxSurge,
    each: connectionsOf(role.split(',') as ProcessRole[], {
      databasePool: Number(settings?.data['TENURE_DATABASE_POOL']),
      hasQueue: container.env.every(({ name }) => name !== 'REDIS_URL'),
      // The number of queues after an installation.
      shards: 1,
    }),
  };
}

/**
 * Adds up the connections of one overlay. A role that is scaled automatically counts with its maximum number of
 * processes.
 */
export function connectionSum(objects: readonly KubernetesObject[]): ConnectionSum {
  const roles = ofKind(objects, 'Deployment').map((deployment) =>
    ofDeployment(deployment, objects),
  );
  const stated = ofKind(objects, 'Namespace').map(({ metadata }) => metadata.annotations?.[STATED]);
  return {
    roles,
    total: roles.reduce(
      (sum, { replicas, surge, each }) => sum + (replicas + surge) * each,
      MIGRATION,
    ),
    available: Number(stated[0]) - RESERVED,
  };
}

const TABLE_HEAD = `| Overlay | \`api\` | \`worker\` | \`projector\` | \`clock\` | Together | The server's |
| --- | --- | --- | --- | --- | --- | --- |
`;
const COLUMNS = ['api', 'worker', 'projector', 'clock'];

/**
 * Returns the sums as a table. Each cell contains three numbers: processes, additional processes during a rollout, and
 * connections of each process at most.
 */
export function connectionTable(sums: ReadonlyMap<string, ConnectionSum>): string {
  const rows = [...sums].map(([overlay, { roles, total, available }]) => {
    const cells = COLUMNS.map((column) => {
      const found = roles.find(({ role }) => role === column);
      return found === undefined ? '' : `(${found.replicas} + ${found.surge}) × ${found.each}`;
    });
    return `| \`${overlay}\` | ${cells.join(' | ')} | ${total} | ${available + RESERVED} |\n`;
  });
  return `${TABLE_HEAD}${rows.join('')}`;
}

const MARKS = /(?<=<!-- connections -->\n).*?(?=<!-- \/connections -->)/su;

/** Returns the page with the table in it. */
export const withConnectionTable = (page: string, table: string): string =>
  page.replace(MARKS, () => table);
