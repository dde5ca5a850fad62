/* Pages of users and providers about requests, installations, licences and renewals. */
export { LicensesPage } from './licenses.tsx';
export { LicensePage } from './license.tsx';
export { ReceiptPage } from './receipt.tsx';
export { InstallsPage } from './installs.tsx';
export { InstallPage } from './install.tsx';
export { RequestsPage } from './requests.tsx';
export { RequestPage } from './request.tsx';
export { RenewalsPage } from './renewals.tsx';
export { RenewalPage } from './renewal.tsx';
export { OperationPage } from './operation.tsx';
export { SubscriptionsPage } from './subscriptions.tsx';
