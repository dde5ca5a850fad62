import { HTTP_LIMITS } from '../../limits.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { ChangeFilter } from '../../../domain/change-filter.ts';
import { CHANGE_STATES, isOpen } from '../../../domain/change.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import type { Count } from '../../../app/ports/views.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { DISABLED_BY_PARTY } from '../../../domain/webhook.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { lastingIo } from '../../kit/request-context.ts';
import { loggedError } from '../../kit/request-log.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { webhookBody } from '../webhooks/webhooks.ts';
import type { AttentionSection } from './attention-schemas.ts';
import { ATTENTION_SECTIONS } from './attention-schemas.ts';
import { opsScope } from './ops-access.ts';
import { commandBody } from './ops-operations.ts';
import { failureBody } from './ops-failures.ts';
import { circuitBody, pauseBody } from './ops-pauses.ts';
import { alarmBody } from './ops-waiting.ts';
import { timerBody } from './ops-timers.ts';
import { leaseBody, streamBodies } from './ops-upkeep.ts';
import type { Summaries } from './summaries.ts';

const { attentionShown, attentionLookedAt, attentionWaitsMs, attentionLagMs } = HTTP_LIMITS;

interface Section extends Count {
  readonly items: readonly JsonRecord[];
}

const sectionOf = <T>(
  found: readonly T[],
  bodyOf: (one: T) => JsonRecord,
  max?: number,
): Section => ({
  count: found.length,
  more: max !== undefined && found.length >= max,
  items: found.slice(0, attentionShown).map(bodyOf),
});

/** A person's request for the digest of one party. */
interface Asking {
  readonly deps: HttpDeps;
  readonly scope: OpsScope;
  readonly io: Io;
}

/** Returns the oldest operations of a filter, and their total number. */
async function oldest({ deps, scope, io }: Asking, filter: ChangeFilter): Promise<Section> {
  const { changes } = deps.desk;
  const [{ total }, found] = await Promise.all([
    changes.count({ scope, filter, groupBy: null }, io),
    changes.find({ scope, filter, order: 'ascending', limit: attentionShown }, io),
  ]);
  return { ...total, items: found.map(commandBody) };
}

const inDoubt = (asking: Asking): Promise<Section> => oldest(asking, { states: ['in-doubt'] });

const waiting = (asking: Asking): Promise<Section> =>
  oldest(asking, {
    states: CHANGE_STATES.filter((state) => isOpen(state) && state !== 'in-doubt'),
    before: new Date(asking.deps.wallClock.nowMs() - attentionWaitsMs).toISOString(),
  });

async function alarms({ deps, scope, io }: Asking): Promise<Section> {
  const found = await deps.alarms.list(LIMITS.alarmsMax, io, scope);
  return sectionOf(found, alarmBody, LIMITS.alarmsMax);
}

async function failures({ deps, scope, io }: Asking): Promise<Section> {
  const found = await deps.desk.failures.list(
    { scope, state: 'open', limit: attentionLookedAt },
    io,
  );
  const byCount = found.toSorted((a, b) => b.count.count - a.count.count);
  return sectionOf(byCount, failureBody, attentionLookedAt);
}

async function timers({ deps, scope, io }: Asking): Promise<Section> {
  const query = { party: scope.party, state: 'given-up', limit: attentionLookedAt } as const;
  const found = await deps.timers.page(query, io);
  return sectionOf(found, (timer) => timerBody(timer, scope.of === 'provider'), attentionLookedAt);
}

async function webhooks({ deps, scope, io }: Asking): Promise<Section> {
  const found = await deps.webhooks.list(scope.party, io);
  const failing = found.filter(({ failures, disabledReason }) =>
    disabledReason === null ? failures > 0 : disabledReason !== DISABLED_BY_PARTY,
  );
  return sectionOf(failing, webhookBody);
}

async function streams({ deps, io }: Asking): Promise<Section> {
  const found = await streamBodies(deps, io);
  const behind = found.filter(
    ({ reason, lagSeconds }) =>
      reason !== undefined || Number(lagSeconds ?? 0) > attentionLagMs / 1_000,
  );
  return sectionOf(behind, (stream) => stream);
}

async function leases({ deps, io }: Asking): Promise<Section> {
  const found = await deps.desk.upkeep.leases(io);
  return sectionOf(
    found.filter(({ isHeld }) => !isHeld),
    leaseBody,
  );
}

const READERS: Readonly<
  Record<
    AttentionSection,
    {
      readonly read: (asking: Asking) => Promise<Section>;
      /** Set for data about the whole deployment, which only operators of the provider see. */
      readonly isProviders?: true;
    }
  >
> = {
  inDoubt: { read: inDoubt },
  alarms: { read: alarms },
  failures: { read: failures },
  waiting: { read: waiting },
  pauses: {
    read: async ({ deps, io }) => sectionOf(await deps.pauses.list(io), pauseBody),
    isProviders: true,
  },
  circuits: {
    read: async ({ deps, io }) => sectionOf(await deps.pauses.circuits(io), circuitBody),
    isProviders: true,
  },
  streams: { read: streams, isProviders: true },
  leases: { read: leases, isProviders: true },
  timers: { read: timers },
  webhooks: { read: webhooks },
};

/** Returns the parts of the digest that could be read. */
async function digestOf(asking: Asking, log: FastifyBaseLogger): Promise<JsonRecord> {
  const { deps, scope } = asking;
  const names = ATTENTION_SECTIONS.filter(
    (name) => scope.of === 'provider' || READERS[name].isProviders !== true,
  );
  const read = await Promise.allSettled(names.map((name) => READERS[name].read(asking)));
  const unavailable = names.filter((_name, n) => read[n]?.status === 'rejected');
  const [failed] = read.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  // The request fails only if no part could be read.
  if (unavailable.length === names.length) throw failed;
  if (failed !== undefined) {
    log.warn(
      { unavailable, error: loggedError(failed) },
      'parts of the attention digest could not be read',
    );
  }
  const sections = names.flatMap((name, n) => {
    const one = read[n];
    return one?.status === 'fulfilled' ? [[name, { ...one.value }] as const] : [];
  });
  const asOf = new Date(deps.wallClock.nowMs()).toISOString();
  return { asOf, ...Object.fromEntries(sections), unavailable };
}

/** Registers the route of the digest, which shows everything that needs a person on one page. */
export function registerAttention(app: HttpApp, deps: HttpDeps, summaries: Summaries): void {
  route(app, 'GET', '/ops/attention', {
    operationId: 'getAttention',
    summary:
      'Read everything that needs an operator: the number and the first entries of each part',
    description: `A part that cannot be read in time is missing, and \`unavailable\` names it. Parts about the whole deployment are only for operators of the provider. The answer may be a second old.`,
    tag: 'ops',
    reply: { 200: plain('OpsAttention', 'The digest, as far as it could be read') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      const scope = opsScope(deps, request);
      // Several callers may wait for the same read, so it continues if this client disconnects.
      const asking = { deps, scope, io: lastingIo(request) };
      const digest = () => digestOf(asking, request.log);
      return reply.send(await summaries.read(scope, 'attention', digest));
    },
  });
}
