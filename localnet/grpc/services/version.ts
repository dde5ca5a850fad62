import type { VersionServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import { PARTIES_PAGE_SIZE_MAX } from '../../ledger/parties.ts';
import { RIGHTS_PER_USER_MAX, USERS_PAGE_SIZE_MAX } from '../../ledger/users.ts';
import type { Call } from '../call.ts';
import { durationOfMs } from '../../messages/times.ts';
import { VETTED_PACKAGES_PAGE_SIZE_MAX } from './vetting.ts';

/** The version of the Ledger API that LocalNet implements. Clients adapt their behaviour to it. */
export const LEDGER_API_VERSION = '3.5.10';

export interface VersionSettings {
  readonly checkpointIntervalMs: number;
  readonly isTimeStatic: boolean;
}

const versionOf = ({ checkpointIntervalMs, isTimeStatic }: VersionSettings) => ({
  version: LEDGER_API_VERSION,
  features: {
    experimental: {
      staticTime: { supported: isTimeStatic },
      commandInspectionService: { supported: true },
    },
    userManagement: {
      supported: true,
      maxRightsPerUser: RIGHTS_PER_USER_MAX,
      maxUsersPageSize: USERS_PAGE_SIZE_MAX,
    },
    partyManagement: { maxPartiesPageSize: PARTIES_PAGE_SIZE_MAX },
    offsetCheckpoint: {
      maxOffsetCheckpointEmissionDelay: durationOfMs(checkpointIntervalMs),
    },
    packageFeature: { maxVettedPackagesPageSize: VETTED_PACKAGES_PAGE_SIZE_MAX },
  },
});

export const versionService = (settings: VersionSettings): VersionServiceImplementation<Call> => ({
  async getLedgerApiVersion() {
    return versionOf(settings);
  },
});
