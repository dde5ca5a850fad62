import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { Kept, PolicySet, Timer, TimerView } from '../../../app/ports/policies.ts';
import type { ExpiryPolicy } from '../../../domain/expiry-policy.ts';
import { expiryVerdict, holdOf } from '../../../domain/expiry-policy.ts';
import type { Json, JsonRecord } from '../../../domain/json.ts';
import type { LedgerTimes } from '../../../domain/time.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { RenewalPolicy } from '../../../domain/renewal-policy.ts';
import { isoToMs } from '../../../domain/time.ts';
import { readTimerCursor, writeTimerCursor } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { entityTag, readIfMatch } from '../../kit/entity-tag.ts';
import { readPaging } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import { ExpiryPolicyBody, RenewalPolicyBody, readExpiryPolicy } from './policy-bodies.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { one, pageOf, problems } from '../../kit/responses.ts';
import type { SharedSchemaName } from '../../schemas.ts';
import { PagingQuery, PolicyHeaders } from '../../schemas.ts';
import { fillBody } from '../lifecycles/writes.ts';

const TAG = 'policies';

async function requireProvider(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('provider')) return;
  fail('FORBIDDEN', 'policies are the provider’s alone');
}

const expiryBody = ({ graceMs: _derived, ...policy }: ExpiryPolicy): JsonRecord => ({
  ...policy,
  quietHours: policy.quietHours as unknown as Json,
});

const renewalBody = (policy: RenewalPolicy): JsonRecord => ({ ...policy });

/** One kind of policy: how it is called, kept and written down. */
interface PolicyRoute<Policy> {
  readonly path: string;
  readonly word: string;
  readonly schema: SharedSchemaName;
  readonly get: (party: ReturnType<typeof callerOf>['party'], io: Io) => Promise<Kept<Policy>>;
  readonly body: typeof ExpiryPolicyBody | typeof RenewalPolicyBody;
  readonly read: (body: unknown) => Policy;
  readonly set: (
    change: {
      readonly provider: ReturnType<typeof callerOf>['party'];
      readonly policy: Policy;
      readonly bySubject: string;
      readonly at: string;
      readonly ifVersions?: readonly number[];
    },
    io: Io,
  ) => Promise<PolicySet>;
  readonly shown: (policy: Policy) => JsonRecord;
}

function registerPolicy<Policy>(app: HttpApp, deps: HttpDeps, route: PolicyRoute<Policy>): void {
  const { path, word, schema } = route;
  app.get(
    path,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: `get${schema}`,
        summary: `The provider’s ${word} policy; off until it is set`,
        tags: [TAG],
        response: { 200: one(schema, 'The policy'), ...problems(401, 403, 406, 503) },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { policy, version } = await route.get(callerOf(request).party, readIo(reply));
      return reply.header('etag', entityTag(version)).send(route.shown(policy));
    },
  );
  app.put(
    path,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: `set${schema}`,
        summary: `Replace the ${word} policy as a whole`,
        tags: [TAG],
        headers: PolicyHeaders,
        'x-body-required': true,
        body: route.body,
        response: {
          200: one(schema, 'The policy as it is now'),
          ...problems(400, 401, 403, 406, 412, 413, 415, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = callerOf(request);
      const policy = route.read(request.body);
      const ifVersions = readIfMatch(request.headers['if-match']);
      const change = {
        provider: caller.party,
        policy,
        bySubject: caller.subject,
        at: new Date(deps.wallClock.nowMs()).toISOString(),
        ...(ifVersions === undefined ? {} : { ifVersions }),
      };
      const { isWritten, version } = await route.set(change, readIo(reply));
      if (!isWritten) {
        fail('PRECONDITION_FAILED', `the policy is at version ${version}`, { extra: { version } });
      }
      return reply.header('etag', entityTag(version)).send(route.shown(policy));
    },
  );
}

/** What a timer is of, as answers name it. */
export const timerOf = (timer: TimerView): JsonRecord => ({
  lifecycleId: timer.lifecycleId,
  contractId: timer.contractId,
  user: timer.appUser,
  licenseNum: Number(timer.licenseNum ?? 0n),
});

const asLapsing = ({ lapsesAt, isNeverRenewed, openUntil }: Timer) => ({
  expiresAtMs: isoToMs(lapsesAt),
  isNeverRenewed,
  openUntilMs: openUntil === null ? null : isoToMs(openUntil),
});

const iso = (ms: number): string => new Date(ms).toISOString();

/** What the policy says of one licence, whether or not it is on. */
function previewOf(timer: TimerView, policy: ExpiryPolicy, times: LedgerTimes, held: JsonRecord) {
  const verdict = expiryVerdict(asLapsing(timer), policy, times);
  const at =
    verdict.kind === 'due' ? verdict.sinceMs : verdict.kind === 'later' ? verdict.atMs : null;
  const why =
    verdict.kind !== 'due'
      ? verdict.why
      : timer.isGivenUp
        ? 'it is due, and given up after failures: see its timer'
        : timer.changeId === null
          ? 'it has lapsed'
          : 'it is on its way';
  return {
    ...timerOf(timer),
    expiresAt: timer.lapsesAt,
    verdict: verdict.kind,
    ...(at === null ? {} : { at: iso(at) }),
    why,
    ...held,
  };
}

function registerPreview(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/policies/expiry/preview',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'previewExpiry',
        summary: 'What the expiry policy would end, when and why, and what not and why not',
        description:
          'Every active licence of the provider, the longest lapsed first, judged by the policy as it is set, in whatever mode. ' +
          'Without `limit` a page of the greatest size.',
        tags: [TAG],
        querystring: PagingQuery,
        response: {
          200: pageOf('ExpiryPreview', 'By expiresAt'),
          ...problems(400, 401, 403, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const io = readIo(reply);
      const { party } = callerOf(request);
      const paging = readPaging(request.query as Record<string, unknown>, readTimerCursor);
      const limit = paging.limit ?? LIMITS.pageSizeMax;
      const after = paging.after === undefined ? {} : { after: paging.after };
      await deps.ledgerClock
        .refresh({ signal: io.signal, deadlineMs: LIMITS.ledgerTimeReadMs })
        .catch(() => undefined);
      const [{ policy }, found] = await Promise.all([
        deps.policies.expiry(party, io),
        deps.timers.page({ party, kind: 'expire', ...after, limit: limit + 1 }, io),
      ]);
      const hold = holdOf(policy, deps.wallClock.nowMs());
      const held = hold === null ? {} : { heldBy: hold.why };
      const { ledgerClock } = deps;
      const times = { nowMs: ledgerClock.nowMs(), certainMs: ledgerClock.certainMs() };
      return sendPage(request, reply, {
        found,
        limit,
        cursorOf: writeTimerCursor,
        bodyOf: (timer) => previewOf(timer, policy, times, held),
      });
    },
  );
}

/** What a provider wants to happen by itself. */
export async function registerPolicies(app: HttpApp, deps: HttpDeps): Promise<void> {
  const { policies } = deps;
  await app.register(async (own: HttpApp) => {
    own.addHook('onRequest', requireProvider);
    registerPolicy(own, deps, {
      path: '/policies/expiry',
      word: 'expiry',
      schema: 'ExpiryPolicy',
      get: (party, io) => policies.expiry(party, io),
      body: ExpiryPolicyBody,
      read: (body) => readExpiryPolicy(body as ExpiryPolicyBody),
      set: (change, io) => policies.setExpiry(change, io),
      shown: expiryBody,
    });
    registerPolicy(own, deps, {
      path: '/policies/renewal',
      word: 'renewal',
      schema: 'RenewalPolicy',
      get: (party, io) => policies.renewal(party, io),
      body: RenewalPolicyBody,
      read: (body) => body as RenewalPolicyBody,
      set: (change, io) => policies.setRenewal(change, io),
      shown: renewalBody,
    });
    registerPreview(own, deps);
  });
}
