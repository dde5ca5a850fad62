/* Pages of the provider about customers, plans, payments and statistics. */
export { CustomersPage } from './customers.tsx';
export { PaymentsPage } from './payments.tsx';
export { PlansPage } from './plans.tsx';
export { StatisticsPage } from './statistics.tsx';
