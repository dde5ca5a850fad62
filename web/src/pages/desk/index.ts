/* Pages of the operator's desk, for operations and the acts on them. */
export { AttentionPage } from './attention.tsx';
export { OperationsPage } from './operations.tsx';
export { OpsOperationPage } from './ops-operation.tsx';
export { FailuresPage } from './failures.tsx';
export { LifecyclesPage } from './lifecycles.tsx';
export { TimersPage } from './timers.tsx';
export { ActsPage } from './acts.tsx';
export { ActPage } from './act.tsx';
