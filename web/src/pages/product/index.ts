/* What a provider sells, to whom, and what it brings. */
export { CustomersPage } from './customers.tsx';
