import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function LifecyclesPage() {
  return (
    <Page title="Lifecycles">
      <Loading />
    </Page>
  );
}
