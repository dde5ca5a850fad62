import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function RenewalsPage() {
  return (
    <Page title="Renewals">
      <Loading />
    </Page>
  );
}
