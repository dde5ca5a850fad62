import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/states.tsx';

export function ErrorsPage() {
  return (
    <Page title="Errors">
      <Loading />
    </Page>
  );
}
