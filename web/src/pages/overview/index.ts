/* The first page of a provider and of a user. */
export { OverviewPage } from './overview.tsx';
