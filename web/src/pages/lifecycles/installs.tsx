import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function InstallsPage() {
  return (
    <Page title="Installs">
      <Loading />
    </Page>
  );
}
