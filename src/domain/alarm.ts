import type { Wait } from './change.ts';

/** `critical`: the change continues only after a person has acted. `warning`: it may continue by itself. */
export const ALARM_SEVERITIES = ['critical', 'warning'] as const;
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number];

/** The causes of critical alarms. */
export const CRITICAL_WAITS: readonly Wait[] = ['person', 'foreign', 'gone', 'clock', 'traffic'];

/** Returns the severity of an alarm about a change that waits for this. */
export const severityOf = (kind: Wait): AlarmSeverity =>
  CRITICAL_WAITS.includes(kind) ? 'critical' : 'warning';
