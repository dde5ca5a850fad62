import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function WebhooksPage() {
  return (
    <Page title="Webhooks">
      <Loading />
    </Page>
  );
}
