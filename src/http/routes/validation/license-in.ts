import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LicenseFacts } from '../../../domain/license-validation.ts';
import { fail } from '../../../domain/problems.ts';
import { isoAfter } from '../../../domain/time.ts';
import { readId } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { LICENSES, notFoundMessage } from '../../kit/resources.ts';

/** Returns the licence in the path if the caller is one of its parties. Other licences seem unknown to the caller. */
export async function licenseIn(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  fingerprint: string | null = null,
): Promise<LicenseFacts> {
  const id = readId(request);
  const { party } = callerOf(request);
  const at = isoAfter(deps.ledgerClock.nowMs());
  const { provider } = deps.hosting;
  const { reads } = deps.validation;
  const facts = await reads.byLicense({ id, provider }, fingerprint, at, readIo(reply));
  const isVisible = facts !== null && [facts.provider, facts.user].includes(party);
  return isVisible ? facts : fail('NOT_FOUND', notFoundMessage(LICENSES, id));
}
