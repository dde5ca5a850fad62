import { CommandCompletionServiceDefinition } from '../../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandServiceDefinition } from '../../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { CommandSubmissionServiceDefinition } from '../../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { CreatedEvent } from '../../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { StateServiceDefinition } from '../../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { UpdateServiceDefinition } from '../../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { change } from '../commands.ts';
import { eventsOf, LEDGER_EFFECTS, updatesOf } from '../formats.ts';
import { accept, cancelInstall, createLicense, createRequest } from '../licensing.ts';
import type { Sides } from '../licensing.ts';
import type { Seed } from './grpc.ts';

/** The present contents of the ledger. */
export interface Standing {
  readonly sides: Sides;
  readonly active: readonly CreatedEvent[];
  readonly end: bigint;
  readonly userId: string;
}

interface Method {
  readonly name: string;
  readonly requestType: {
    fromPartial(value: never): unknown;
    encode(message: never): { finish(): Uint8Array };
  };
}

/** Returns a request of a service's method, as bytes. */
function seed(service: { readonly fullName: string }, method: Method, request: object): Seed {
  const message = method.requestType.fromPartial(request as never);
  const bytes = method.requestType.encode(message as never).finish();
  return { call: `${service.fullName}/${method.name}`, bytes };
}

function commandSeeds({ sides, active }: Standing): Seed[] {
  const onContract = active.flatMap(({ contractId, templateId }) => {
    if (templateId?.entityName === 'AppInstallRequest') return [accept(contractId)];
    if (templateId?.entityName !== 'AppInstall') return [];
    return [createLicense(contractId), cancelInstall(contractId, sides.user)];
  });
  const { submitAndWait, submitAndWaitForTransaction } = CommandServiceDefinition.methods;
  return [createRequest(sides), ...onContract].flatMap((command) => {
    const commands = change(command, { actAs: [sides.user, sides.provider] });
    return [
      seed(CommandServiceDefinition, submitAndWait, { commands }),
      seed(CommandServiceDefinition, submitAndWaitForTransaction, { commands }),
      seed(CommandSubmissionServiceDefinition, CommandSubmissionServiceDefinition.methods.submit, {
        commands,
      }),
    ];
  });
}

/** Returns valid requests. */
export function seedsOf(standing: Standing): readonly Seed[] {
  const { sides, end, userId } = standing;
  const { getUpdates, getUpdateByOffset } = UpdateServiceDefinition.methods;
  const { getActiveContracts, getActiveContractsPage } = StateServiceDefinition.methods;
  const { completionStream } = CommandCompletionServiceDefinition.methods;
  const eventFormat = eventsOf([sides.user]);
  const updateFormat = updatesOf(LEDGER_EFFECTS, [sides.user]);
  const range = { beginExclusive: end > 3n ? end - 3n : 0n, endInclusive: end };
  return [
    ...commandSeeds(standing),
    seed(UpdateServiceDefinition, getUpdates, { ...range, updateFormat }),
    seed(UpdateServiceDefinition, getUpdateByOffset, { offset: end, updateFormat }),
    seed(StateServiceDefinition, getActiveContracts, { activeAtOffset: end, eventFormat }),
    seed(StateServiceDefinition, getActiveContractsPage, { eventFormat }),
    seed(CommandCompletionServiceDefinition, completionStream, {
      ...range,
      userId,
      parties: [sides.user],
    }),
  ];
}
