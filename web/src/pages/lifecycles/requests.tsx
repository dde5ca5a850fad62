import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function RequestsPage() {
  return (
    <Page title="Requests">
      <Loading />
    </Page>
  );
}
