/* The first pages of providers and users. */
export { OverviewPage } from './overview.tsx';
