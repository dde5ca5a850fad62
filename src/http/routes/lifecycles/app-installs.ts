import { actionRoute } from '../../kit/address.ts';
import {
  AppInstallCancel,
  AppInstallCreateLicenseRequest,
  readCreateLicenseBody,
  readMetaBody,
} from '../../kit/bodies.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { APP_INSTALLS } from '../../kit/resources.ts';
import { done, doneWithoutContent } from '../../kit/responses.ts';
import { registerLifecycleReads } from './lifecycle-reads.ts';
import { plannedLicense } from './planned-writes.ts';
import { registerStep } from './writes.ts';

const { path } = APP_INSTALLS;

export function registerAppInstalls(app: HttpApp, deps: HttpDeps): void {
  registerLifecycleReads(app, deps, APP_INSTALLS);
  registerStep(app, deps, {
    url: actionRoute(path, 'create-license'),
    operation: 'create-license',
    operationId: 'createLicense',
    summary: 'Create the next licence of the install, as the provider',
    tag: path,
    body: AppInstallCreateLicenseRequest,
    needsBody: true,
    read: readCreateLicenseBody,
    resolve: plannedLicense(deps),
    success: {
      201: done(
        'AppInstallCreateLicenseResult',
        'The licence is created; the install has a new contract',
      ),
    },
    problems: [403],
    produces: 'application/json',
  });
  registerStep(app, deps, {
    url: actionRoute(path, 'cancel'),
    operation: 'cancel-install',
    operationId: 'cancelAppInstall',
    summary: 'End the install, as its user or provider; its licences stay active',
    tag: path,
    body: AppInstallCancel,
    needsBody: false,
    read: readMetaBody,
    success: { 204: doneWithoutContent('Cancelled') },
    problems: [],
    produces: null,
  });
}
