import { Navigate } from '@tanstack/react-router';
import { useRoles } from '../api/caller.tsx';
import { homeFor } from '../shell/nav.ts';

/** Redirects each role to its first page. */
export function HomePage() {
  return <Navigate to={homeFor(useRoles())} replace />;
}
