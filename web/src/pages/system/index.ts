/* Pages about processes, costs and the audit log. */
export { StreamsPage } from './streams.tsx';
export { CostsPage } from './costs.tsx';
export { QuotasPage } from './quotas.tsx';
export { OpsSessionsPage } from './sessions.tsx';
export { AuditPage } from './audit.tsx';
