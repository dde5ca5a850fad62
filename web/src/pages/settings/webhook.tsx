import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function WebhookPage() {
  return (
    <Page title="Webhook">
      <Loading />
    </Page>
  );
}
