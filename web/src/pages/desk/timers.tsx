import { Page } from '../../parts/page.tsx';
import { Loading } from '../../parts/states.tsx';

export function TimersPage() {
  return (
    <Page title="Timers">
      <Loading />
    </Page>
  );
}
