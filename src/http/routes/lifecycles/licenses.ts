import { COMPLETE_ON_LICENSE, actionRoute } from '../../kit/address.ts';
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

export function registerLicenses(app: HttpApp, deps: HttpDeps): void {
  registerLifecycleReads(app, deps, LICENSES);
  registerStep(app, deps, {
    url: actionRoute(path, 'expire'),
    operation: 'expire-license',
    operationId: 'expireLicense',
    summary: 'End an expired licence, as its user or provider',
    tag: path,
    body: LicenseExpireRequest,
    needsBody: false,
    read: readMetaBody,
    success: { 200: doneAsText('Expired', 'License expired successfully') },
    problems: [],
    produces: 'text/plain',
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'renew'),
    operation: 'renew-license',
    operationId: 'renewLicense',
    summary: 'Request a renewal: ask the user to pay for an extension, as the provider',
    tag: path,
    body: LicenseRenewRequest,
    needsBody: true,
    read: readRenewBody,
    resolve: plannedRenewal(deps),
    success: { 201: doneWithoutContent('The renewal is requested; the licence lists it') },
    problems: [403],
    produces: null,
  });
  registerStep(app, deps, {
    url: actionRoute(path, COMPLETE_ON_LICENSE),
    operation: 'complete-renewal',
    operationId: 'completeLicenseRenewal',
    summary:
      'Complete a renewal: collect the allocated fee and extend the licence, as the provider',
    tag: path,
    body: CompleteLicenseRenewalRequest,
    needsBody: true,
    read: readCompleteBody,
    target: (body) => body.renewalRequestContractId,
    success: {
      200: done('LicenseRenewalResult', 'The licence is extended and has a new contract'),
    },
    problems: [403],
    produces: 'application/json',
  });
}
