import { actionRoute } from '../../kit/address.ts';
import {
  AppInstallRequestAccept,
  AppInstallRequestCancel,
  AppInstallRequestReject,
  RequestInstallBody,
  readAcceptBody,
  readMetaBody,
  readRequestInstallBody,
} from '../../kit/bodies.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { APP_INSTALL_REQUESTS } from '../../kit/resources.ts';
import { done, doneWithoutContent } from '../../kit/responses.ts';
import { registerLifecycleReads } from './lifecycle-reads.ts';
import { registerCreate, registerStep } from './writes.ts';

const { path } = APP_INSTALL_REQUESTS;

export function registerAppInstallRequests(app: HttpApp, deps: HttpDeps): void {
  registerLifecycleReads(app, deps, APP_INSTALL_REQUESTS);
  registerCreate(app, deps, {
    url: `/${path}`,
    operation: 'request-install',
    operationId: 'createAppInstallRequest',
    summary: 'Request an installation of the app from the provider, as the user',
    tag: path,
    body: RequestInstallBody,
    needsBody: false,
    read: (body) => readRequestInstallBody(body, deps.hosting.provider),
    success: { 201: done('AppInstallRequest', 'Requested') },
    problems: [],
    produces: 'application/json',
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'accept'),
    operation: 'accept-install-request',
    operationId: 'acceptAppInstallRequest',
    summary: 'Accept a request and install the app, as the provider',
    tag: path,
    body: AppInstallRequestAccept,
    needsBody: true,
    read: readAcceptBody,
    success: { 201: done('AppInstall', 'Installed') },
    problems: [403],
    produces: 'application/json',
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'reject'),
    operation: 'reject-install-request',
    operationId: 'rejectAppInstallRequest',
    summary: 'Reject a request, as the provider',
    tag: path,
    body: AppInstallRequestReject,
    needsBody: false,
    read: readMetaBody,
    success: { 204: doneWithoutContent('Rejected') },
    problems: [403],
    produces: null,
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'cancel'),
    operation: 'cancel-install-request',
    operationId: 'cancelAppInstallRequest',
    summary: 'Withdraw a request, as the user who made it',
    tag: path,
    body: AppInstallRequestCancel,
    needsBody: false,
    read: readMetaBody,
    success: { 204: doneWithoutContent('Cancelled') },
    problems: [403],
    produces: null,
  });
}
