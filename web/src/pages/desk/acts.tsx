import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function ActsPage() {
  return (
    <Page title="Acts">
      <Loading />
    </Page>
  );
}
