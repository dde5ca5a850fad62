import type { Alarm } from '../../../app/ports/alarms.ts';
import type { ChangePosition } from '../../../app/desk/change-search.ts';
import { severityOf } from '../../../domain/alarm.ts';
import type { Change } from '../../../domain/change.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isoToMs } from '../../../domain/time.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { registerDeskList } from './desk-list.ts';
import { opsBody } from './ops-operation.ts';
import { readChangePosition } from './ops-operations.ts';

interface Doubted {
  readonly change: Change;
  readonly body: JsonRecord;
}

const registerInDoubt = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: '/ops/in-doubt',
    operationId: 'listInDoubt',
    summary: 'List the operations that need a decision, with the evidence about each',
    inOrder: 'The oldest first',
    entry: 'OpsOperation',
    statuses: [400, 401, 403, 406, 503],
    filter: { sort: sortOf('acceptedAt') },
    pageSize: HTTP_LIMITS.inDoubtPageSize,
    pageSizeMax: HTTP_LIMITS.inDoubtPageSize,
    readKey: readChangePosition,
    keyOf: ({ change }: Doubted) => [change.acceptedAt, change.id],
    bodyOf: ({ body }: Doubted) => body,
    async find({ request, scope, page: { limit, after }, io }) {
      const found: Doubted[] = [];
      for (const change of await deps.store.reads.inDoubt(limit, io, scope, after)) {
        found.push({ change, body: await opsBody(deps, request, change, io) });
      }
      return found;
    },
  });

/** An alarm as operators read it. */
export const alarmBody = ({ changeId, ...alarm }: Alarm): JsonRecord => ({
  operationId: changeId,
  changeId,
  severity: severityOf(alarm.kind),
  ...alarm,
});

/** Whether an alarm comes after a position in the list. */
function isAfter({ raisedAt, changeId }: Alarm, { acceptedAt: at, id }: ChangePosition): boolean {
  const later = isoToMs(raisedAt) - isoToMs(at);
  return later > 0 || (later === 0 && changeId > id);
}

const alarmKey = ({ raisedAt, changeId }: Alarm): readonly string[] => [raisedAt, changeId];

const registerAlarms = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: '/ops/alarms',
    operationId: 'listAlarms',
    summary: 'List alarms: operations that have waited too long for the same reason',
    inOrder: 'The oldest alarm first',
    entry: 'Alarm',
    statuses: [400, 401, 403, 406, 503],
    filter: { sort: sortOf('raisedAt') },
    readKey: readChangePosition,
    keyOf: alarmKey,
    bodyOf: alarmBody,
    async find({ scope, page: { limit, after }, io }) {
      const all = await deps.alarms.list(LIMITS.alarmsMax, io, scope);
      const others = after === undefined ? all : all.filter((alarm) => isAfter(alarm, after));
      return others.slice(0, limit);
    },
  });

/** Registers the lists of operations that wait for a person or have waited too long. */
export function registerWaiting(app: HttpApp, deps: HttpDeps): void {
  registerInDoubt(app, deps);
  registerAlarms(app, deps);
}
