import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function RequestPage() {
  return (
    <Page title="Request">
      <Loading />
    </Page>
  );
}
