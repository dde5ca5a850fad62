import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function ActPage() {
  return (
    <Page title="Act">
      <Loading />
    </Page>
  );
}
