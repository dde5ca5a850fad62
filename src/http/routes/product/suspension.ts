import { hasRole } from '../../../app/engine/lanes/allowed.ts';
import { fail } from '../../../domain/problems.ts';
import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { one } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { entityTag } from '../../kit/request-headers.ts';
import { ContractParams } from '../../schemas.ts';
import { bodiesWith } from '../lifecycles/beside-the-ledger.ts';
import { findVisible, ledgerTimes } from '../lifecycles/lifecycle-reads.ts';
import { ReasonBody } from './product-schemas.ts';

const ACTS = [
  {
    verb: 'suspend',
    isSuspended: true,
    summary: 'Suspend a licence, as its provider: the ledger does not know of it',
  },
  { verb: 'reinstate', isSuspended: false, summary: 'End the suspension of a licence' },
] as const;

/** Registers the routes that suspend and reinstate a licence. An ended licence can be reinstated, not suspended. */
export function registerSuspension(app: HttpApp, deps: HttpDeps): void {
  for (const { verb, isSuspended, summary } of ACTS) {
    route(app, 'POST', contractRoute(LICENSES.path, `/${verb}`), {
      operationId: `${verb}License`,
      summary,
      description:
        'Leaves a row of the audit log and an event. A licence that is so already stays as it is, with its first reason.',
      tag: LICENSES.path,
      params: ContractParams,
      body: ReasonBody,
      reply: { 200: one('License', 'The licence as it is now') },
      problems: [400, 401, 403, 404, 413, 415, 503, ...(isSuspended ? [409 as const] : [])],
      handle: async (request, reply) => {
        const io = readIo(reply);
        const { reason } = request.body;
        const view = await findVisible(deps, LICENSES, request, io);
        const { lifecycle } = view;
        const caller = callerOf(request);
        if (!hasRole(lifecycle, 'provider', caller.party)) {
          return fail('FORBIDDEN', `only the provider may ${verb} this License`);
        }
        if (isSuspended && lifecycle.endedAt !== null) {
          return fail('LIFECYCLE_ENDED', `the licence has ended: ${lifecycle.state}`);
        }
        await deps.licenseRecords.suspend(lifecycle, isSuspended, reason, caller, io);
        const { nowMs } = await ledgerTimes(deps, request, io);
        const [body] = await bodiesWith(deps, LICENSES.kind, caller, nowMs, io)([view]);
        return reply.header('etag', entityTag(lifecycle.version)).send(body);
      },
    });
  }
}
