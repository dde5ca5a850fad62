import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function CostsPage() {
  return (
    <Page title="Costs">
      <Loading />
    </Page>
  );
}
