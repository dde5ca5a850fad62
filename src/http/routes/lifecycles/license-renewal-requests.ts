import { HTTP_LIMITS } from '../../limits.ts';
import { actionRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { CompleteBody, NoBody, readCompleteBody } from './renewal-bodies.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { LICENSE_RENEWAL_REQUESTS } from '../../kit/resources.ts';
import { done, doneWithoutContent } from '../../kit/responses.ts';
import { registerLifecycleReads } from './lifecycle-reads.ts';
import { registerStep } from './writes.ts';

const { path } = LICENSE_RENEWAL_REQUESTS;

export function registerLicenseRenewalRequests(app: HttpApp, deps: HttpDeps): void {
  registerLifecycleReads(app, deps, LICENSE_RENEWAL_REQUESTS);
  registerStep(app, deps, {
    url: actionRoute(path, 'complete'),
    operation: 'complete-renewal',
    operationId: 'completeLicenseRenewalRequest',
    summary:
      'Complete a renewal: collect the allocated fee and extend the licence, as the provider',
    tag: path,
    body: CompleteBody,
    needsBody: true,
    read: readCompleteBody,
    success: {
      200: done('LicenseRenewalResult', 'The licence is extended and has a new contract'),
    },
    problems: [403],
    produces: 'application/json',
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'withdraw'),
    operation: 'withdraw-renewal',
    operationId: 'withdrawLicenseRenewalRequest',
    summary: 'Withdraw a renewal request, as the provider; the allocated fee stays with the user',
    tag: path,
    body: NoBody,
    bodyBytesMax: HTTP_LIMITS.httpBodyBytesMax,
    needsBody: false,
    read: () => ({}),
    success: { 204: doneWithoutContent('Withdrawn') },
    problems: [403],
    produces: null,
  });
}
