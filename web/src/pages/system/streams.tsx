import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function StreamsPage() {
  return (
    <Page title="Streams">
      <Loading />
    </Page>
  );
}
