import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import type { Permission } from '../../api/caller.tsx';

/** A provider's page that needs a permission. Callers without the permission see an explanation instead. */
export function ProviderOnly({
  title,
  needs,
  children,
}: {
  readonly title: string;
  readonly needs: Permission;
  readonly children: ReactNode;
}) {
  const roles = useRoles();
  if (roles.has(needs)) return children;
  if (roles.has('provider')) {
    return (
      <Page title={title}>
        <Empty title="You cannot change this policy.">
          <p>
            Your permissions do not include “{needs}”.{' '}
            <Link to={PATHS.home}>To your first page</Link>
          </p>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={title}>
      <Empty title="This page is for the provider only.">
        <p>
          You have signed in for another party. <Link to={PATHS.home}>To your first page</Link>
        </p>
      </Empty>
    </Page>
  );
}
