import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function PoliciesPage() {
  return (
    <Page title="Policies">
      <Loading />
    </Page>
  );
}
