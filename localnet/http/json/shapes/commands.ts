import type {
  Commands,
  DisclosedContract,
} from '../../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { SubmitAndWaitResponse } from '../../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { TransactionFormat } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { Identifier } from '../../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { Duration } from '../../../../proto/gen/google/protobuf/duration.ts';
import type { Timestamp } from '../../../../proto/gen/google/protobuf/timestamp.ts';
import type { Json } from '../../../ledger/lf-json.ts';
import {
  anyJson,
  bare,
  bytes,
  defaulted,
  int,
  list,
  long,
  message,
  oneOf,
  optional,
  record,
  text,
} from '../shape.ts';
import { duration, identifier, instant } from './well-known.ts';
import { transactionFormat } from './formats.ts';

interface JsCreate {
  templateId: Identifier;
  createArguments: Json;
}
interface JsExercise {
  templateId: Identifier;
  contractId: string;
  choice: string;
  choiceArgument: Json;
}
interface JsCreateAndExercise extends JsCreate {
  choice: string;
  choiceArgument: Json;
}
interface JsExerciseByKey {
  templateId: Identifier;
  contractKey: Json;
  choice: string;
  choiceArgument: Json;
}

/** A command in the JSON API. Its values are still JSON; they are decoded with the type that the command names. */
export type JsCommand =
  | { readonly $case: 'create'; readonly value: JsCreate }
  | { readonly $case: 'exercise'; readonly value: JsExercise }
  | { readonly $case: 'createAndExercise'; readonly value: JsCreateAndExercise }
  | { readonly $case: 'exerciseByKey'; readonly value: JsExerciseByKey };

const command = oneOf<JsCommand>(
  {
    create: bare(
      'CreateCommand',
      record<JsCreate>('CreateCommand', { templateId: identifier, createArguments: anyJson }),
    ),
    exercise: bare(
      'ExerciseCommand',
      record<JsExercise>('ExerciseCommand', {
        templateId: identifier,
        contractId: text,
        choice: text,
        choiceArgument: anyJson,
      }),
    ),
    createAndExercise: bare(
      'CreateAndExerciseCommand',
      record<JsCreateAndExercise>('CreateAndExerciseCommand', {
        templateId: identifier,
        createArguments: anyJson,
        choice: text,
        choiceArgument: anyJson,
      }),
    ),
    exerciseByKey: bare(
      'ExerciseByKeyCommand',
      record<JsExerciseByKey>('ExerciseByKeyCommand', {
        templateId: identifier,
        contractKey: anyJson,
        choice: text,
        choiceArgument: anyJson,
      }),
    ),
  },
  { empty: null },
);

/** Every item is a command: a body with an invalid command was refused before. */
export const commandList = list(command);

export interface JsPrefetchKey {
  templateId: Identifier;
  contractKey: Json;
  limit: number | undefined;
}

export const disclosedContracts = list(
  message<DisclosedContract>('DisclosedContract', {
    templateId: optional(identifier),
    contractId: text,
    createdEventBlob: bytes,
    synchronizerId: text,
  }),
);

export const prefetchKeys = list(
  record<JsPrefetchKey>('PrefetchContractKey', {
    templateId: identifier,
    contractKey: anyJson,
    limit: optional(int),
  }),
);

export const deduplicationPeriod = oneOf<NonNullable<Commands['deduplicationPeriod']>>({
  deduplicationDuration: duration,
  deduplicationOffset: long,
});

/** A submission in the JSON API. */
export interface JsCommands {
  commands: (JsCommand | undefined)[];
  commandId: string;
  actAs: string[];
  userId: string;
  readAs: string[];
  workflowId: string;
  deduplicationPeriod: Commands['deduplicationPeriod'];
  minLedgerTimeAbs: Timestamp | undefined;
  minLedgerTimeRel: Duration | undefined;
  submissionId: string;
  disclosedContracts: DisclosedContract[];
  synchronizerId: string;
  packageIdSelectionPreference: string[];
  prefetchContractKeys: JsPrefetchKey[];
  tapsMaxPasses: number | undefined;
}

export const jsCommands = record<JsCommands>('JsCommands', {
  commands: commandList,
  commandId: text,
  actAs: list(text),
  userId: defaulted(text),
  readAs: defaulted(list(text)),
  workflowId: defaulted(text),
  deduplicationPeriod: defaulted(deduplicationPeriod),
  minLedgerTimeAbs: optional(instant),
  minLedgerTimeRel: optional(duration),
  submissionId: defaulted(text),
  disclosedContracts: defaulted(disclosedContracts),
  synchronizerId: defaulted(text),
  packageIdSelectionPreference: defaulted(list(text)),
  prefetchContractKeys: defaulted(prefetchKeys),
  tapsMaxPasses: optional(int),
});

export interface JsSubmitForTransaction {
  commands: JsCommands;
  transactionFormat: TransactionFormat | undefined;
}

export const submitForTransactionRequest = record<JsSubmitForTransaction>(
  'JsSubmitAndWaitForTransactionRequest',
  { commands: jsCommands, transactionFormat: optional(transactionFormat) },
);

export const submitAndWaitAnswer = message<SubmitAndWaitResponse>('SubmitAndWaitResponse', {
  updateId: text,
  completionOffset: long,
});

/** A message without fields. */
export const nothing = (name: string) => message<object>(name, {});
