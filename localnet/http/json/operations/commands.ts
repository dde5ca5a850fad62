import type { Commands } from '../../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { stream, unary } from '../operation.ts';
import type { Operation, ServiceCall } from '../operation.ts';
import {
  jsCommands,
  nothing,
  submitAndWaitAnswer,
  submitForTransactionRequest,
} from '../shapes/commands.ts';
import type { JsCommands } from '../shapes/commands.ts';
import {
  submitForReassignmentAnswer,
  submitForReassignmentRequest,
  submitReassignmentRequest,
} from '../shapes/reassignments.ts';
import { completionAnswer, completionsRequest, completionStreamRequest } from '../shapes/state.ts';
import { submittedTransactionAnswer, submittedTreeAnswer } from '../shapes/updates.ts';
import type { ValueCodec } from '../value-codec.ts';
import { commandsOf, treeFormatOf } from '../transcoding.ts';

const PATH = '/v2/commands';

/** Reads a submission. Later errors of the call name the submission. */
function submissionOf(given: JsCommands, values: ValueCodec, call: ServiceCall): Commands {
  call.submits = given;
  return commandsOf(given, values);
}

export const commandOperations: readonly Operation[] = [
  unary({
    method: 'POST',
    path: `${PATH}/submit-and-wait`,
    calls: 'CommandService/SubmitAndWait',
    body: jsCommands,
    answer: submitAndWaitAnswer,
    run: async (services, { body }, call, values) => {
      const commands = submissionOf(body, values, call);
      return services.commands.submitAndWait({ commands }, call);
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/submit-and-wait-for-transaction`,
    calls: 'CommandService/SubmitAndWaitForTransaction',
    body: submitForTransactionRequest,
    answer: submittedTransactionAnswer,
    run: async (services, { body }, call, values) => {
      const commands = submissionOf(body.commands, values, call);
      const { transactionFormat } = body;
      return services.commands.submitAndWaitForTransaction({ commands, transactionFormat }, call);
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/submit-and-wait-for-transaction-tree`,
    calls: 'CommandService/SubmitAndWaitForTransaction',
    isDeprecated: true,
    body: jsCommands,
    answer: submittedTreeAnswer,
    run: async (services, { body }, call, values) => {
      const commands = submissionOf(body, values, call);
      const transactionFormat = treeFormatOf(commands.actAs);
      const request = { commands, transactionFormat };
      const { transaction } = await services.commands.submitAndWaitForTransaction(request, call);
      return { transactionTree: transaction };
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/async/submit`,
    calls: 'CommandSubmissionService/Submit',
    body: jsCommands,
    answer: nothing('SubmitResponse'),
    run: async (services, { body }, call, values) => {
      const commands = submissionOf(body, values, call);
      return services.submissions.submit({ commands }, call);
    },
  }),
  unary({
    method: 'POST',
    path: `${PATH}/submit-and-wait-for-reassignment`,
    calls: 'CommandService/SubmitAndWaitForReassignment',
    body: submitForReassignmentRequest,
    answer: submitForReassignmentAnswer,
    run: ({ commands }, { body }, call) => commands.submitAndWaitForReassignment(body, call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/async/submit-reassignment`,
    calls: 'CommandSubmissionService/SubmitReassignment',
    body: submitReassignmentRequest,
    answer: nothing('SubmitReassignmentResponse'),
    run: ({ submissions }, { body }, call) => submissions.submitReassignment(body, call),
  }),
  stream({
    path: `${PATH}/completions`,
    calls: 'CommandCompletionService/CompletionStream',
    body: completionStreamRequest,
    answer: completionAnswer,
    isOpenEnded: () => true,
    run: ({ completions }, body, call) => completions.completionStream(body, call),
  }),
  stream({
    path: `${PATH}/command-completions`,
    calls: 'CommandCompletionService/GetCompletions',
    body: completionsRequest,
    answer: completionAnswer,
    isOpenEnded: () => true,
    run: ({ completions }, body, call) => completions.getCompletions(body, call),
  }),
];
