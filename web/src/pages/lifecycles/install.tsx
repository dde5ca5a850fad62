import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function InstallPage() {
  return (
    <Page title="Install">
      <Loading />
    </Page>
  );
}
