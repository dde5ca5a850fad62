import type { TemplateName } from './ledger.ts';
import { isoToMs } from './time.ts';

const PACKAGE = 'quickstart-licensing';

/** The contract templates of the licensing package. */
export const APP_INSTALL_REQUEST: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.AppInstall',
  entityName: 'AppInstallRequest',
};
export const APP_INSTALL: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.AppInstall',
  entityName: 'AppInstall',
};
export const LICENSE: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.License',
  entityName: 'License',
};

/** What the projector subscribes to, as far as the participant knows it. */
export const LICENSING_TEMPLATES: readonly TemplateName[] = [
  APP_INSTALL_REQUEST,
  APP_INSTALL,
  LICENSE,
];

/**
 * A deadline is exceeded at the very instant it names. Source: Daml's `assertDeadlineExceeded`, inclusive.
 * `deadline` is ISO 8601, `nowMs` may have a fraction.
 */
export const isPast = (deadline: string, nowMs: number): boolean => isoToMs(deadline) <= nowMs;
