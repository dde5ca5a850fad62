import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function RenewalPage() {
  return (
    <Page title="Renewal">
      <Loading />
    </Page>
  );
}
