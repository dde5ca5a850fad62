import {
  UpdateVettedPackagesForceFlag as ForceFlag,
  UploadDarFileRequest_VettingChange as VettingChange,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import type {
  UpdateVettedPackagesRequest,
  UpdateVettedPackagesResponse,
  VettedPackagesChange,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import type { VettedPackages as VettedPackagesMessage } from '../../../proto/gen/com/daml/ledger/api/v2/package_reference.ts';
import type {
  ListVettedPackagesRequest,
  ListVettedPackagesResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { isUniqueIdentifier } from '../../ledger/identifiers.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { invalidArgument } from '../../ledger/submission-checks.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { VettedPackages, VettingOperation } from '../../ledger/vetted-packages.ts';
import { microsOf, timestampOf } from '../../messages/times.ts';

export const VETTED_PACKAGES_PAGE_SIZE_MAX = 100;

const malformed = (field: string, reason: string): LedgerError =>
  new LedgerError(
    'PROTO_DESERIALIZATION_FAILURE',
    `Deserialization of protobuf message failed: ValueConversionError(${field}, ${reason})`,
  );

const encode = ({
  participantId,
  synchronizerId,
  serial,
  packages,
}: VettedPackages): VettedPackagesMessage => ({
  participantId,
  synchronizerId,
  topologySerial: serial,
  packages: packages.map(({ packageId, name, version, validFrom, validUntil }) => ({
    packageId,
    packageName: name,
    packageVersion: version,
    validFromInclusive: validFrom === undefined ? undefined : timestampOf(validFrom),
    validUntilExclusive: validUntil === undefined ? undefined : timestampOf(validUntil),
  })),
});

/** Returns one page of participants' vetted packages. Participants without matching packages are omitted. */
export function listVettedPackages(
  { vettedPackages }: ParticipantNode,
  { packageMetadataFilter, topologyStateFilter, pageToken, pageSize }: ListVettedPackagesRequest,
): ListVettedPackagesResponse {
  const { participantIds = [], synchronizerIds = [] } = topologyStateFilter ?? {};
  for (const id of participantIds)
    if (!isUniqueIdentifier(id)) throw malformed('participant_ids', id);
  for (const id of synchronizerIds)
    if (!isUniqueIdentifier(id)) throw malformed('synchronizer_ids', id);
  if (pageSize > VETTED_PACKAGES_PAGE_SIZE_MAX) {
    throw malformed(
      'page_size',
      `Page size must not exceed the server's maximum of ${VETTED_PACKAGES_PAGE_SIZE_MAX}`,
    );
  }
  const { packageIds = [], packageNamePrefixes = [] } = packageMetadataFilter ?? {};
  const isFiltered = packageIds.length + packageNamePrefixes.length > 0;
  const isWanted = (all: readonly string[], id: string) => all.length === 0 || all.includes(id);
  const after = readPageToken(pageToken);
  const found = vettedPackages
    .all()
    .filter((state) => isWanted(participantIds, state.participantId))
    .filter((state) => isWanted(synchronizerIds, state.synchronizerId))
    .map((state) => ({
      ...state,
      packages: state.packages.filter(
        ({ packageId, name }) =>
          !isFiltered ||
          packageIds.includes(packageId) ||
          packageNamePrefixes.some((prefix) => name.startsWith(prefix)),
      ),
    }))
    .filter(({ packages }) => packages.length > 0)
    .filter(({ participantId }) => pageToken === '' || participantId > after);
  const page = found.slice(0, pageSize === 0 ? VETTED_PACKAGES_PAGE_SIZE_MAX : pageSize);
  return {
    vettedPackages: page.map(encode),
    // A last page that is full also has a token. The page after it is empty and has none.
    nextPageToken: writePageToken(page.at(-1)?.participantId ?? ''),
  };
}

const writePageToken = (participantId: string): string =>
  Buffer.from(participantId).toString('base64url');

/** Returns the participant after which the page begins. @throws LedgerError INVALID_ARGUMENT */
function readPageToken(pageToken: string): string {
  const participantId = Buffer.from(pageToken, 'base64url').toString('utf8');
  const isOurs = participantId === '' || isUniqueIdentifier(participantId);
  if (isOurs && writePageToken(participantId) === pageToken) return participantId;
  throw invalidArgument('Page token is malformed');
}

/**
 * Changes the vetted packages. Throws vetting's errors, PROTO_DESERIALIZATION_FAILURE, and the error for another
 * synchronizer.
 */
export function updateVettedPackages(
  participant: ParticipantNode,
  request: UpdateVettedPackagesRequest,
): UpdateVettedPackagesResponse {
  const { changes, dryRun, synchronizerId, expectedTopologySerial } = request;
  const { updateVettedPackagesForceFlags: flags } = request;
  requireSynchronizer(participant, synchronizerId);
  const serial = expectedTopologySerial?.serial;
  const { past, now } = participant.vettedPackages.update({
    operations: changes.map(readChange),
    isDryRun: dryRun,
    isForced: flags.includes(ForceFlag.ALLOW_VET_INCOMPATIBLE_UPGRADES),
    priorSerial: serial?.$case === 'prior' ? serial.value : serial && 'none',
  });
  return { pastVettedPackages: encode(past), newVettedPackages: encode(now) };
}

/**
 * Requires that an ID is that of the synchronizer; an empty ID is accepted. Throws PROTO_DESERIALIZATION_FAILURE,
 * PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER.
 */
export function requireSynchronizer(participant: ParticipantNode, synchronizerId: string): void {
  if (synchronizerId === '' || synchronizerId === participant.synchronizerId) return;
  if (!isUniqueIdentifier(synchronizerId))
    throw malformed('synchronizer_id', synchronizerId.slice(0, 300));
  throw new LedgerError(
    'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER',
    `Cannot upload a dar because the participant is not connected to synchronizer '${synchronizerId}'.`,
  );
}

function readChange({ operation }: VettedPackagesChange): VettingOperation {
  if (operation === undefined) throw malformed('operation', 'FieldNotSet');
  const refs = operation.value.packages.map(({ packageId, packageName, packageVersion }) => {
    if (packageId === '' && packageName === '') throw malformed('packages', 'FieldNotSet');
    return { id: packageId, name: packageName, version: packageVersion };
  });
  if (operation.$case === 'unvet') return { refs, period: null };
  const { newValidFromInclusive: from, newValidUntilExclusive: until } = operation.value;
  const period = {
    ...(from === undefined ? {} : { validFrom: microsOf(from) }),
    ...(until === undefined ? {} : { validUntil: microsOf(until) }),
  };
  return { refs, period };
}

/** Returns whether uploaded packages are to be vetted, which is the default. Throws PROTO_DESERIALIZATION_FAILURE. */
export function isVetting(change: VettingChange): boolean {
  if (change === VettingChange.UNSPECIFIED || change === VettingChange.VET_ALL_PACKAGES)
    return true;
  if (change === VettingChange.DONT_VET_ANY_PACKAGES) return false;
  throw malformed('vetting_change', `Unrecognized value ${String(change)}`);
}
