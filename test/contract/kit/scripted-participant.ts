import { createServer, ServerError, Status as GrpcStatus } from 'nice-grpc';
import type { CallContext, Server } from 'nice-grpc';
import { CommandCompletionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type {
  CompletionStreamRequest,
  CompletionStreamResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandSubmissionServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { StateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type {
  GetActiveContractsRequest,
  GetActiveContractsResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { UpdateServiceDefinition } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type {
  GetUpdateByIdRequest,
  GetUpdateByOffsetRequest,
  GetUpdateResponse,
  GetUpdatesRequest,
  GetUpdatesResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { ErrorInfo } from '../../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';

/** Handlers for the calls to a scripted participant. A call without a handler is UNIMPLEMENTED. */
export interface Script {
  submit?: (commands: Commands, context: CallContext) => Promise<void> | void;
  ledgerEnd?: (context: CallContext) => bigint | Promise<bigint>;
  activeContracts?: (
    request: GetActiveContractsRequest,
    context: CallContext,
  ) => AsyncIterable<GetActiveContractsResponse>;
  prunedUpTo?: (context: CallContext) => bigint;
  /** @param party the party for which the caller asks; `''` if it names none */
  synchronizers?: (party: string) => readonly string[];
  updates?: (request: GetUpdatesRequest, context: CallContext) => AsyncIterable<GetUpdatesResponse>;
  updateById?: (request: GetUpdateByIdRequest, context: CallContext) => GetUpdateResponse;
  updateByOffset?: (request: GetUpdateByOffsetRequest, context: CallContext) => GetUpdateResponse;
  completions?: (
    request: CompletionStreamRequest,
    context: CallContext,
  ) => AsyncIterable<CompletionStreamResponse>;
}

/**
 * A gRPC server that gives exactly the answers that a test scripts, including answers that no healthy ledger gives on
 * demand.
 */
export class ScriptedParticipant implements AsyncDisposable {
  script: Script = {};
  readonly address: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(port = 0): Promise<ScriptedParticipant> {
    const server = createServer();
    let self: ScriptedParticipant;
    server.add(CommandSubmissionServiceDefinition, {
      submit: async ({ commands }, context) => {
        await (self.script.submit ?? unscripted)(commands!, context);
        return {};
      },
      submitReassignment: unscripted,
    });
    server.add(StateServiceDefinition, {
      getLedgerEnd: async (_request, context) => ({
        offset: await (self.script.ledgerEnd ?? unscripted)(context),
      }),
      getActiveContracts: (request, context) =>
        (self.script.activeContracts ?? unscripted)(request, context),
      getLatestPrunedOffsets: async (_request, context) => ({
        participantPrunedUpToInclusive: (self.script.prunedUpTo ?? unscripted)(context),
        allDivulgedContractsPrunedUpToInclusive: 0n,
      }),
      getActiveContractsPage: unscripted,
      getConnectedSynchronizers: async ({ party }) => ({
        connectedSynchronizers: (self.script.synchronizers ?? unscripted)(party).map(
          (synchronizerId) => ({
            synchronizerAlias: synchronizerId,
            synchronizerId,
            permission: 0,
          }),
        ),
      }),
    });
    server.add(UpdateServiceDefinition, {
      getUpdates: (request, context) => (self.script.updates ?? unscripted)(request, context),
      getUpdateByOffset: async (request, context) =>
        (self.script.updateByOffset ?? unscripted)(request, context),
      getUpdateById: async (request, context) =>
        (self.script.updateById ?? unscripted)(request, context),
      getUpdatesPage: unscripted,
    });
    server.add(CommandCompletionServiceDefinition, {
      completionStream: (request, context) =>
        (self.script.completions ?? unscripted)(request, context),
      getCompletions: unscripted,
    });
    self = new ScriptedParticipant(server, await server.listen(`127.0.0.1:${port}`));
    return self;
  }

  /** Cuts every connection, as in a crash. */
  crash(): void {
    this.#server.forceShutdown();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    return Promise.resolve();
  }
}

const unscripted = (): never => {
  throw new ServerError(GrpcStatus.UNIMPLEMENTED, 'not scripted');
};

/** Fails a call as a participant does: the reason is in the trailers. */
export function refuse(
  context: CallContext,
  reason: string,
  more: { readonly status?: GrpcStatus; readonly metadata?: Record<string, string> } = {},
): never {
  const { status: code = GrpcStatus.FAILED_PRECONDITION, metadata = {} } = more;
  const info = ErrorInfo.encode({ reason, domain: '', metadata }).finish();
  const details = [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: info }];
  const message = `${reason}(9,0): as scripted`;
  context.trailer.set(
    'grpc-status-details-bin',
    Status.encode({ code, message, details }).finish(),
  );
  throw new ServerError(code, message);
}

/** Fails a call without a reason, as a participant does for errors that it redacts. */
export function redacted(status: GrpcStatus): never {
  throw new ServerError(status, 'An error occurred. Please contact the operator.');
}

export const tokenOf = (context: CallContext): string =>
  context.metadata.get('authorization')?.replace('Bearer ', '') ?? '';
