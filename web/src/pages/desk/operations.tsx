import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function OperationsPage() {
  return (
    <Page title="Operations">
      <Loading />
    </Page>
  );
}
