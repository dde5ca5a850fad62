import { actionRoute } from '../address.ts';
import { MetaBody, readMetaBody } from '../bodies.ts';
import type { HttpDeps } from '../deps.ts';
import type { HttpApp } from '../request-context.ts';
import { LICENSES } from '../resources.ts';
import { doneAsText } from '../responses.ts';
import { registerLifecycleReads } from './lifecycle-reads.ts';
import { registerStep } from './writes.ts';

const { path } = LICENSES;

/** Both spellings that clients are known to use. */
const EXPIRE = [
  { url: actionRoute(path, 'expire'), operationId: 'expireLicense' },
  { url: `/${path}/:id/expire`, operationId: 'expireLicenseByPath' },
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
      body: MetaBody,
      needsBody: false,
      read: readMetaBody,
      success: { 200: doneAsText('Expired', 'License expired successfully') },
      problems: [406],
      produces: 'text/plain',
    });
  }
}
