import { createChannel, createClientFactory, Metadata } from 'nice-grpc';
import type { CallOptions, Channel, ClientMiddlewareCall } from 'nice-grpc';
import { CommandInspectionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import { IdentityProviderConfigServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import { PackageManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import { ParticipantPruningServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/participant_pruning_service.ts';
import { PartyManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { UserManagementServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { CommandCompletionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { CommandSubmissionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { ContractServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/contract_service.ts';
import { EventQueryServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/event_query_service.ts';
import { InteractiveSubmissionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { PackageServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { StateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { TimeServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { UpdateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { VersionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { decodeRefusals } from './refusal.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

export type LedgerClients = ReturnType<typeof createLedgerClients>;

/**
 * Creates clients for all services of one participant and one caller.
 *
 * @param bearer returns the token for each call; without it, or for `undefined`, no token is sent
 */
export function createLedgerClients(channel: Channel, bearer?: () => string | Promise<string>) {
  async function* addDeadlineAndToken<Request, Response>(
    call: ClientMiddlewareCall<Request, Response>,
    options: CallOptions,
  ): AsyncGenerator<Response, Response | void, undefined> {
    const metadata = Metadata(options.metadata);
    if (bearer !== undefined) metadata.set('authorization', `Bearer ${await bearer()}`);
    const timeout = AbortSignal.timeout(PATIENCE_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    return yield* call.next(call.request, { ...options, metadata, signal });
  }
  const factory = createClientFactory().use(decodeRefusals).use(addDeadlineAndToken);
  return {
    commands: factory.create(CommandServiceDefinition, channel),
    submission: factory.create(CommandSubmissionServiceDefinition, channel),
    interactive: factory.create(InteractiveSubmissionServiceDefinition, channel),
    completions: factory.create(CommandCompletionServiceDefinition, channel),
    updates: factory.create(UpdateServiceDefinition, channel),
    state: factory.create(StateServiceDefinition, channel),
    events: factory.create(EventQueryServiceDefinition, channel),
    contracts: factory.create(ContractServiceDefinition, channel),
    packages: factory.create(PackageServiceDefinition, channel),
    packageAdmin: factory.create(PackageManagementServiceDefinition, channel),
    partyAdmin: factory.create(PartyManagementServiceDefinition, channel),
    userAdmin: factory.create(UserManagementServiceDefinition, channel),
    identityProviders: factory.create(IdentityProviderConfigServiceDefinition, channel),
    pruning: factory.create(ParticipantPruningServiceDefinition, channel),
    inspection: factory.create(CommandInspectionServiceDefinition, channel),
    version: factory.create(VersionServiceDefinition, channel),
    time: factory.create(TimeServiceDefinition, channel),
    health: factory.create(HealthDefinition, channel),
  };
}

/** Opens a channel to `host:port` without TLS that accepts messages of the size that a participant accepts. */
export function openChannel(address: string): Channel {
  return createChannel(address, undefined, {
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
    'grpc.max_send_message_length': 16 * 1024 * 1024,
  });
}
