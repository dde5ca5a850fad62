import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';

/** A page of the provider, and what it says to others who come by its address. */
export function ProviderOnly({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  if (useRoles().has('provider')) return children;
  return (
    <Page title={title}>
      <Empty title="This page is the provider’s.">
        <p>
          You have signed in for another party. <Link to={PATHS.home}>To your first page</Link>
        </p>
      </Empty>
    </Page>
  );
}
