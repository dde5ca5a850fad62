import { PATHS } from '../../paths.ts';

/** The page of each kind of lifecycle. Its address may contain the lifecycle's ID or any of its contract IDs. */
const PAGES = {
  'install-request': PATHS.request,
  install: PATHS.install,
  license: PATHS.license,
  renewal: PATHS.renewal,
} as const;

export type LifecycleKind = keyof typeof PAGES;

export const pageOfKind = (kind: LifecycleKind) => PAGES[kind];

/** Returns the kind and the page of a lifecycle, from its ID: "license-a1b2…". */
export function lifecyclePath(id: string) {
  const kind = (Object.keys(PAGES) as LifecycleKind[]).find((one) =>
    new RegExp(`^${one}-[0-9a-f]+$`, 'u').test(id),
  );
  return kind === undefined ? (['', null] as const) : ([kind, PAGES[kind]] as const);
}
