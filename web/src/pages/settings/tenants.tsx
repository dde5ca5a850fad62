import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function TenantsPage() {
  return (
    <Page title="Tenants">
      <Loading />
    </Page>
  );
}
