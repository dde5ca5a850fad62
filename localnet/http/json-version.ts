import { durationOfMs } from '../grpc/times.ts';
import { LEDGER_API_VERSION } from '../grpc/services/version.ts';
import type { Json } from '../ledger/lf-json.ts';
import { PARTIES_PAGE_SIZE_MAX } from '../ledger/parties.ts';
import { RIGHTS_PER_USER_MAX, USERS_PAGE_SIZE_MAX } from '../ledger/users.ts';

/** What the gRPC version service says, as JSON. */
export function versionJson(settings: {
  readonly checkpointIntervalMs: number;
  readonly isTimeStatic: boolean;
}): Json {
  const { seconds, nanos } = durationOfMs(settings.checkpointIntervalMs);
  return {
    version: LEDGER_API_VERSION,
    features: {
      experimental: {
        staticTime: { supported: settings.isTimeStatic },
        commandInspectionService: { supported: false },
      },
      userManagement: {
        supported: true,
        maxRightsPerUser: RIGHTS_PER_USER_MAX,
        maxUsersPageSize: USERS_PAGE_SIZE_MAX,
      },
      partyManagement: { maxPartiesPageSize: PARTIES_PAGE_SIZE_MAX },
      offsetCheckpoint: {
        maxOffsetCheckpointEmissionDelay: {
          seconds: Number(seconds),
          nanos,
          unknownFields: { fields: {} },
        },
      },
      packageFeature: { maxVettedPackagesPageSize: 0 },
    },
  };
}
