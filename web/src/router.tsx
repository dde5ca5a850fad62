import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { App } from './app.tsx';
import { NotFoundPage, PageFault } from './pages/fault.tsx';
import { HomePage } from './pages/home.tsx';
import { Loading } from './parts/states.tsx';
import { PATHS } from './paths.ts';
import * as search from './search.ts';

const root = createRootRoute({ component: App, notFoundComponent: NotFoundPage });
const at = { getParentRoute: () => root };

/* Each group of pages is a separate chunk, which is loaded when one of its pages is opened. */

const overviewPages = () => import('./pages/overview/index.ts');
const lifecyclePages = () => import('./pages/lifecycles/index.ts');
const productPages = () => import('./pages/product/index.ts');
const settingsPages = () => import('./pages/settings/index.ts');
const deskPages = () => import('./pages/desk/index.ts');
const systemPages = () => import('./pages/system/index.ts');

const routes = [
  createRoute({ ...at, path: PATHS.home, component: HomePage }),
  createRoute({ ...at, path: PATHS.login, validateSearch: search.readLogin }),
  createRoute({
    ...at,
    path: PATHS.overview,
    component: lazyRouteComponent(overviewPages, 'OverviewPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.errors,
    validateSearch: search.readWords,
    component: lazyRouteComponent(() => import('./pages/errors.tsx'), 'ErrorsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.licenses,
    validateSearch: search.readList,
    component: lazyRouteComponent(lifecyclePages, 'LicensesPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.license,
    validateSearch: search.readDetail,
    component: lazyRouteComponent(lifecyclePages, 'LicensePage'),
  }),
  createRoute({
    ...at,
    path: PATHS.receipt,
    component: lazyRouteComponent(lifecyclePages, 'ReceiptPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.installs,
    validateSearch: search.readList,
    component: lazyRouteComponent(lifecyclePages, 'InstallsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.install,
    validateSearch: search.readDetail,
    component: lazyRouteComponent(lifecyclePages, 'InstallPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.requests,
    validateSearch: search.readList,
    component: lazyRouteComponent(lifecyclePages, 'RequestsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.request,
    validateSearch: search.readDetail,
    component: lazyRouteComponent(lifecyclePages, 'RequestPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.renewals,
    validateSearch: search.readList,
    component: lazyRouteComponent(lifecyclePages, 'RenewalsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.renewal,
    validateSearch: search.readDetail,
    component: lazyRouteComponent(lifecyclePages, 'RenewalPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.subscriptions,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(lifecyclePages, 'SubscriptionsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.operation,
    component: lazyRouteComponent(lifecyclePages, 'OperationPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.customers,
    validateSearch: search.readCustomers,
    component: lazyRouteComponent(productPages, 'CustomersPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.payments,
    validateSearch: search.readPayments,
    component: lazyRouteComponent(productPages, 'PaymentsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.statistics,
    validateSearch: search.readStatistics,
    component: lazyRouteComponent(productPages, 'StatisticsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.plans,
    validateSearch: search.readPlans,
    component: lazyRouteComponent(productPages, 'PlansPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.policies,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(settingsPages, 'PoliciesPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.webhooks,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(settingsPages, 'WebhooksPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.webhook,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(settingsPages, 'WebhookPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.tenants,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(settingsPages, 'TenantsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.attention,
    validateSearch: search.readAttention,
    component: lazyRouteComponent(deskPages, 'AttentionPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.operations,
    validateSearch: search.readOperations,
    component: lazyRouteComponent(deskPages, 'OperationsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.opsOperation,
    component: lazyRouteComponent(deskPages, 'OpsOperationPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.failures,
    validateSearch: search.readFailures,
    component: lazyRouteComponent(deskPages, 'FailuresPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.lifecycles,
    validateSearch: search.readLifecycles,
    component: lazyRouteComponent(deskPages, 'LifecyclesPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.timers,
    validateSearch: search.readTimers,
    component: lazyRouteComponent(deskPages, 'TimersPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.acts,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(deskPages, 'ActsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.act,
    component: lazyRouteComponent(deskPages, 'ActPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.streams,
    component: lazyRouteComponent(systemPages, 'StreamsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.costs,
    validateSearch: search.readCosts,
    component: lazyRouteComponent(systemPages, 'CostsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.quotas,
    validateSearch: search.readCursor,
    component: lazyRouteComponent(systemPages, 'QuotasPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.opsSessions,
    validateSearch: search.readSessions,
    component: lazyRouteComponent(systemPages, 'OpsSessionsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.settings,
    component: lazyRouteComponent(settingsPages, 'SettingsPage'),
  }),
  createRoute({
    ...at,
    path: PATHS.audit,
    validateSearch: search.readAudit,
    component: lazyRouteComponent(systemPages, 'AuditPage'),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/ui',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <PageFault error={error as Error} />,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
