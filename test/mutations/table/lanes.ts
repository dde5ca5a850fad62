import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Mutations of long lanes: one transaction does a limited part of the work, and the projector continues. */

const inHistories = (name: string) => test('model', 'model/long-mailboxes', name);
const inStore = (name: string) => test('integration', 'integration/store', name);
const END = 'the end of a lifecycle refuses all that wait for it';
const ROOM = 'a caller finds no room in a full mailbox';

export const LANES: readonly Mutation[] = [
  {
    name: 'lane-unbounded',
    file: 'src/app/engine/lanes/lane.ts',
    find: 'if (ws.refused >= LIMITS.refusedTogetherMax) {',
    put: 'if (ws.refused >= Infinity) {',
    breaks: 'one transaction ends all that waits for a lifecycle that has ended',
    found: inHistories(END),
  },
  {
    name: 'lane-left-alone',
    file: 'src/app/engine/lanes/lane.ts',
    find: '      ws.interruptLane(lane, judgedTo);\n',
    put: '',
    breaks: 'nobody goes on with a lane that was left without a head',
    found: inHistories(END),
  },
  {
    name: 'lane-leaves-one-out',
    file: 'src/app/engine/lanes/lane.ts',
    find: 'ws.interruptLane(lane, judgedTo);',
    put: 'ws.interruptLane(lane, judgedTo + 1);',
    breaks: 'a lane goes on behind an operation that nobody has judged',
    found: inHistories(END),
  },
  {
    name: 'lane-overtaken',
    file: 'src/app/engine/requests/judge-request.ts',
    find: 'const isNext = head === null && waiting === 0;',
    put: 'const isNext = head === null;',
    breaks: 'what is asked for now begins before what waits in a lane without a head',
    found: inHistories('the first change that is taken ends the turns'),
  },
  {
    name: 'lane-continued-for-ever',
    file: 'src/app/engine/lanes/lane.ts',
    find: '    ws.resumeLane(lane);\n',
    put: '',
    breaks: 'a lane that has had its turns is locked again and again',
    found: inHistories('an operator cancels the head'),
  },
  {
    name: 'mailbox-one-too-many',
    file: 'src/app/engine/requests/judge-request.ts',
    find: 'if (waiting >= waitingMax)',
    put: 'if (waiting > waitingMax)',
    breaks: 'a mailbox holds more than it may',
    found: inHistories(ROOM),
  },
  {
    name: 'mailbox-full-for-policies',
    file: 'src/app/engine/requests/judge-request.ts',
    find: 'request.policy === undefined ? ',
    put: 'request.target !== undefined ? ',
    breaks: 'a caller that fills a lane keeps a policy from ending its licence',
    found: inHistories(ROOM),
  },
  {
    name: 'ended-not-seen',
    file: 'src/app/engine/requests/judge-request.ts',
    find: '  if (found !== null) ws.addSeen(found);\n',
    put: '',
    breaks: 'a request of a lifecycle that has ended is not told so',
    found: inHistories(END),
  },
  {
    name: 'lane-brings-the-ended',
    file: 'src/store/engine/lock.ts',
    find: "where a.lane = any(${lanes}) and coalesce(a.ended_at, 'infinity'::timestamptz) = 'infinity'",
    put: 'where a.lane = any(${lanes})',
    breaks: 'each transaction of a lane loads every lifecycle that ever was in it',
    found: inStore('locking gives what has not ended'),
  },
  {
    name: 'head-without-its-lifecycle',
    file: 'src/store/engine/lock.ts',
    find: 'and h.lane = m.lane))',
    put: 'and h.lane = m.lane and false))',
    breaks: 'the head of a lane is judged without its lifecycle, which has ended',
    found: inStore('locking gives what has not ended'),
  },
  {
    name: 'timer-of-the-ended',
    file: 'src/store/engine/save.ts',
    find: 'where t.lifecycle_id = m.id and m.ended_at is not null',
    put: 'where t.lifecycle_id = m.id and m.ended_at is not null and false',
    breaks: 'what has ended keeps its timer, which fires for ever',
    found: inStore('follow the licences and renewals of a lane'),
  },
  {
    name: 'stall-not-noticed',
    file: 'src/projector/projector.ts',
    find: '      if (elements.length > 0) this.#stall.waits();\n',
    put: '',
    breaks: 'a projector that applies nothing is ready',
    found: test('integration', 'integration/long-lanes', 'that can apply nothing is not ready'),
  },
  {
    name: 'stall-not-told',
    file: 'src/projector/status.ts',
    find: 'stall.ms > PROJECTOR_LIMITS.stallMs',
    put: 'stall.ms > Infinity',
    breaks: '/readyz is 200 while updates wait and nothing is applied',
    found: test('unit', 'unit/projector/status'),
  },
  {
    name: 'renewal-keeps-no-licence',
    file: 'src/store/engine/save.ts',
    find: "offset 0) l\n     where l.kind = 'license'",
    put: "offset 0) l\n     where l.kind = 'none'",
    breaks: 'a policy ends a licence whose renewal is open',
    found: inStore('follow the licences and renewals of a lane'),
  },
  {
    name: 'licence-always-has-room',
    file: 'machines/license.machine.ts',
    find: '  LIMITS.renewalsUnendedMax;',
    put: '  Infinity;',
    breaks: 'a caller gives a licence any number of renewals, all of which each step locks',
    found: test('model', 'model/actions', 'a licence with the most renewals'),
  },
  {
    name: 'history-at-once',
    file: 'src/store/engine/reads.ts',
    find: 'order by seq, n limit ${LIMITS.listChunk}',
    put: 'order by seq, n',
    breaks: 'an answer holds the whole history of a lifecycle in memory',
    found: test('integration', 'integration/long-lanes', 'a history of 10 000 lines'),
  },
  {
    name: 'deliveries-deleted-at-once',
    file: 'src/store/webhooks/webhooks.ts',
    find: '      await deleteInParts(pool, REMOVE_DELIVERIES, [id, by.party], io);\n',
    put: '',
    breaks: 'one transaction deletes every delivery of a webhook',
    found: test('integration', 'integration/in-parts', 'the deliveries of a webhook'),
  },
];
