import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRoles } from '../../api/caller.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { PATHS } from '../../paths.ts';

interface ForProvidersProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page for the provider. Other callers see an explanation instead. */
export function ForProviders({ title, children }: ForProvidersProps) {
  if (useRoles().has('provider')) return children;
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
