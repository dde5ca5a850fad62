import { useQuery } from '@tanstack/react-query';
import { read } from '../api/client.ts';
import type { Data } from '../api/client.ts';
import { partyName } from '../parts/copy.tsx';
import { licenseName } from '../parts/license-words.ts';
import { findableInstall, findableLicense, findableRenewal, isMatch } from '../parts/match.ts';
import { metadataLine } from '../parts/metadata.ts';
import { amount } from '../parts/words.ts';
import * as t from '../texts/shell.tsx';
import { orNull } from './find.ts';

/* Finds licences, renewals and installations by number, name, description and order reference. */

/** Number of rows of each kind that are searched: one page of the API, which is read once while the palette is open. */
const ROWS_MAX = 1_000;
const SHOWN_MAX = 12;

export interface Hit {
  readonly kind: 'license' | 'renewal' | 'install';
  readonly contractId: string;
  readonly name: string;
  readonly what: string;
}

interface Rows {
  readonly licenses: Data<'/licenses'>;
  readonly renewals: Data<'/license-renewal-requests'>;
  readonly installs: Data<'/app-installs'>;
}

const query = { limit: ROWS_MAX };

async function readRows(signal: AbortSignal): Promise<Rows> {
  const [licenses, renewals, installs] = await Promise.all([
    orNull(read('/licenses', { query }, signal)),
    orNull(read('/license-renewal-requests', { query }, signal)),
    orNull(read('/app-installs', { query }, signal)),
  ]);
  return {
    licenses: licenses?.data ?? [],
    renewals: renewals?.data ?? [],
    installs: installs?.data ?? [],
  };
}

const line = (...texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join(' · ');

/** Returns the rows that contain every word of a search, licences first. */
export function hitsOf(search: string, { licenses, renewals, installs }: Rows): readonly Hit[] {
  const hits: readonly Hit[] = [
    ...licenses
      .filter((license) => isMatch(search, findableLicense(license)))
      .map(({ contractId, licenseNum, reference, customer, user, params }) => ({
        kind: 'license' as const,
        contractId,
        name: t.licenceNamed(licenseName({ licenseNum, reference })),
        what: line(customer?.name ?? partyName(user), metadataLine(params.meta?.data ?? {})),
      })),
    ...renewals
      .filter((renewal) => isMatch(search, findableRenewal(renewal)))
      .map(({ contractId, licenseNum, reference, user, customer, description, ...fee }) => ({
        kind: 'renewal' as const,
        contractId,
        name: t.renewalOf(licenseName({ licenseNum, reference })),
        what: line(
          customer?.name ?? partyName(user),
          description,
          amount(fee.licenseFeeAmount, fee.licenseFeeInstrument),
        ),
      })),
    ...installs
      .filter((install) => isMatch(search, findableInstall(install)))
      .map(({ contractId, user, customer, meta }) => ({
        kind: 'install' as const,
        contractId,
        name: t.installationOf(customer?.name ?? partyName(user)),
        what: line(t.installation, metadataLine(meta.data ?? {})),
      })),
  ];
  return hits.slice(0, SHOWN_MAX);
}

/** Returns the hits of a search; undefined while the rows are being read. */
export function useHits(search: string): readonly Hit[] | undefined {
  const rows = useQuery({
    queryKey: ['find-rows'],
    queryFn: ({ signal }) => readRows(signal),
    enabled: search.length > 1,
    staleTime: 60_000,
  });
  return rows.data === undefined ? undefined : hitsOf(search, rows.data);
}
