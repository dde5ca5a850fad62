import type { CommandInspectionServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import type { IdentityProviderConfigServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import type { PackageManagementServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import type { ParticipantPruningServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/participant_pruning_service.ts';
import type { PartyManagementServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import type { UserManagementServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { CommandCompletionServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { CommandServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { CommandSubmissionServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { ContractServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/contract_service.ts';
import type { EventQueryServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/event_query_service.ts';
import type { InteractiveSubmissionServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { PackageServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import type { StateServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { UpdateServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { VersionServiceImplementation } from '../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import type { LedgerNetwork } from '../ledger/ledger-network.ts';
import type { ParticipantName } from '../ports.ts';
import type { Call } from './call.ts';
import { CommandProgress } from './command-progress.ts';
import { Encoder } from './encode.ts';
import { commandCompletionService } from './services/command-completion.ts';
import { commandInspectionService } from './services/command-inspection.ts';
import { commandSubmissionService } from './services/command-submission.ts';
import { commandService } from './services/command.ts';
import { contractService, eventQueryService } from './services/contract-reads.ts';
import { identityProviderConfigService } from './services/identity-provider-config.ts';
import { interactiveSubmissionService } from './services/interactive-submission.ts';
import { packageManagementService, packageService } from './services/package.ts';
import { participantPruningService } from './services/participant-pruning.ts';
import { partyManagementService } from './services/party-management.ts';
import { stateService } from './services/state.ts';
import { updateService } from './services/update.ts';
import { userManagementService } from './services/user-management.ts';
import { versionService } from './services/version.ts';

/** The Ledger API of one participant, within this process. Its gRPC port and its JSON API use the same services. */
export interface ParticipantServices {
  readonly commands: CommandServiceImplementation<Call>;
  readonly submissions: CommandSubmissionServiceImplementation<Call>;
  readonly interactive: InteractiveSubmissionServiceImplementation<Call>;
  readonly completions: CommandCompletionServiceImplementation<Call>;
  readonly updates: UpdateServiceImplementation<Call>;
  readonly state: StateServiceImplementation<Call>;
  readonly events: EventQueryServiceImplementation<Call>;
  readonly contracts: ContractServiceImplementation<Call>;
  readonly packages: PackageServiceImplementation<Call>;
  readonly packageManagement: PackageManagementServiceImplementation<Call>;
  readonly parties: PartyManagementServiceImplementation<Call>;
  readonly users: UserManagementServiceImplementation<Call>;
  readonly identityProviders: IdentityProviderConfigServiceImplementation<Call>;
  readonly inspection: CommandInspectionServiceImplementation<Call>;
  readonly pruning: ParticipantPruningServiceImplementation<Call>;
  readonly version: VersionServiceImplementation<Call>;
}

function participantServices(
  network: LedgerNetwork,
  name: ParticipantName,
  checkpointIntervalMs: number,
): ParticipantServices {
  const participant = network.participants[name];
  const encoder = new Encoder(participant);
  const settings = {
    checkpointIntervalMs,
    participantIdOf: (host: ParticipantName) => network.participants[host].participantId,
  };
  const { isTimeStatic } = network;
  const progress = new CommandProgress(participant, encoder);
  return {
    commands: commandService(participant, encoder, progress),
    submissions: commandSubmissionService(participant, progress),
    interactive: interactiveSubmissionService(participant, encoder),
    completions: commandCompletionService(participant, encoder, settings),
    updates: updateService(participant, encoder, settings),
    state: stateService(participant, encoder, settings),
    events: eventQueryService(participant, encoder),
    contracts: contractService(participant, encoder),
    packages: packageService(participant),
    packageManagement: packageManagementService(participant),
    parties: partyManagementService(participant),
    users: userManagementService(participant),
    identityProviders: identityProviderConfigService(participant),
    inspection: commandInspectionService(progress),
    pruning: participantPruningService(participant),
    version: versionService({ checkpointIntervalMs, isTimeStatic }),
  };
}

/**
 * The services of every participant of a network. A restart of a participant creates its services again, so they forget
 * what they kept in memory.
 */
export class NetworkServices {
  readonly #network: LedgerNetwork;
  readonly #checkpointIntervalMs: number;
  readonly #services = new Map<ParticipantName, ParticipantServices>();

  constructor(network: LedgerNetwork, checkpointIntervalMs: number) {
    this.#network = network;
    this.#checkpointIntervalMs = checkpointIntervalMs;
  }

  of(name: ParticipantName): ParticipantServices {
    return this.#services.get(name) ?? this.renew(name);
  }

  renew(name: ParticipantName): ParticipantServices {
    const services = participantServices(this.#network, name, this.#checkpointIntervalMs);
    this.#services.set(name, services);
    return services;
  }
}
