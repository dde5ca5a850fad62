/* Pages with settings of providers and users. */
export { SettingsPage } from './settings.tsx';
export { PoliciesPage } from './policies.tsx';
export { WebhooksPage } from './webhooks.tsx';
export { WebhookPage } from './webhook.tsx';
export { TenantsPage } from './tenants.tsx';
