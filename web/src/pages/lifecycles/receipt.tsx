import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function ReceiptPage() {
  return (
    <Page title="Receipt">
      <Loading />
    </Page>
  );
}
