import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function OpsOperationPage() {
  return (
    <Page title="OpsOperation">
      <Loading />
    </Page>
  );
}
