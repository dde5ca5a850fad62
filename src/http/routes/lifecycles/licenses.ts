import { COMPLETE_ON_LICENSE, actionRoute, contractRoute } from '../../kit/address.ts';
import { LicenseExpireRequest, readMetaBody } from '../../kit/bodies.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import {
  CompleteLicenseRenewalRequest,
  LicenseRenewRequest,
  readCompleteBody,
  readRenewBody,
} from './renewal-bodies.ts';
import { LICENSES } from '../../kit/resources.ts';
import { done, doneAsText, doneWithoutContent } from '../../kit/responses.ts';
import { registerLifecycleReads } from './lifecycle-reads.ts';
import { plannedRenewal } from './planned-writes.ts';
import { registerStep } from './writes.ts';

const { path } = LICENSES;

/** Both spellings that clients are known to use. */
const EXPIRE = [
  { url: actionRoute(path, 'expire'), operationId: 'expireLicense' },
  { url: contractRoute(path, '/expire'), operationId: 'expireLicenseByPath' },
] as const;

export function registerLicenses(app: HttpApp, deps: HttpDeps): void {
  registerLifecycleReads(app, deps, LICENSES);
  for (const { url, operationId } of EXPIRE) {
    registerStep(app, deps, {
      url,
      operation: 'expire-license',
      operationId,
      summary: 'End a licence whose time is over, as its user or provider',
      tag: path,
      body: LicenseExpireRequest,
      needsBody: false,
      read: readMetaBody,
      success: { 200: doneAsText('Expired', 'License expired successfully') },
      problems: [406],
      produces: 'text/plain',
    });
  }
  registerStep(app, deps, {
    url: actionRoute(path, 'renew'),
    operation: 'renew-license',
    operationId: 'renewLicense',
    summary: 'Ask the user to pay for an extension, as the provider',
    tag: path,
    body: LicenseRenewRequest,
    needsBody: true,
    read: readRenewBody,
    resolve: plannedRenewal(deps),
    success: { 201: doneWithoutContent('Requested; the licence lists it') },
    problems: [403],
    produces: null,
  });
  registerStep(app, deps, {
    url: actionRoute(path, COMPLETE_ON_LICENSE),
    operation: 'complete-renewal',
    operationId: 'completeLicenseRenewal',
    summary: 'Take the fee that the user has set aside, and extend the licence, as the provider',
    tag: path,
    body: CompleteLicenseRenewalRequest,
    needsBody: true,
    read: readCompleteBody,
    target: (body) => body.renewalRequestContractId,
    success: {
      200: done('LicenseRenewalResult', 'Extended; the licence stands on a new contract'),
    },
    problems: [403, 406],
    produces: 'application/json',
  });
}
