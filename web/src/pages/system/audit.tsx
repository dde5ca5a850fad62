import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function AuditPage() {
  return (
    <Page title="Audit">
      <Loading />
    </Page>
  );
}
