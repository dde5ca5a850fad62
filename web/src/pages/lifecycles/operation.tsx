import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function OperationPage() {
  return (
    <Page title="Operation">
      <Loading />
    </Page>
  );
}
