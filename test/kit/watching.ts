import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';

/* The monitoring rules and dashboards in deploy/, as data. */

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

export const alertRules = (): readonly AlertRule[] => {
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
    groups: { rules: AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
};

const FOLDER = 'deploy/grafana';

export const dashboards = (): readonly Dashboard[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Dashboard);
