import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function FailuresPage() {
  return (
    <Page title="Failures">
      <Loading />
    </Page>
  );
}
