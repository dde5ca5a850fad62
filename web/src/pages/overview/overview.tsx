import { useRoles } from '../../api/caller.tsx';
import { ProviderHome } from './provider-home.tsx';
import { UserHome } from './user-home.tsx';

/** The first page: the state of the licences, and the next step. */
export function OverviewPage() {
  return useRoles().has('provider') ? <ProviderHome /> : <UserHome />;
}
