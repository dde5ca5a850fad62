import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function AttentionPage() {
  return (
    <Page title="Attention">
      <Loading />
    </Page>
  );
}
