import { Metadata } from 'nice-grpc-common';
import { isUnreachable } from '../domain/participant-health.ts';
import type { Io } from '../app/ports/io.ts';
import type { ContractModel } from '../app/contract/model.ts';
import type { LedgerGateway, SubmitRequest } from '../app/ports/ledger.ts';
import type { LedgerAnswer } from '../domain/answer.ts';
import { NOTHING_SENT } from '../domain/answer.ts';
import type { UpdateId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import type { DisclosedContract } from '../domain/ledger.ts';
import { hasEffect } from '../domain/ledger.ts';
import { CODES, LACKS_RIGHT, MAY_NOT_ACT_AS } from '../domain/ledger-codes.ts';
import type {
  Commands,
  DisclosedContract as WireDisclosed,
} from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Participant } from './channel.ts';
import { byName, callOptions } from './channel.ts';
import { encodeCommand } from './commands.ts';
import { readSynchronizers, readSynchronizersFor } from './connections.ts';
import { ArgumentError } from './encode.ts';
import { wildcard } from './formats.ts';
import {
  CONNECTION_HEADER,
  SEND_BY_HEADER,
  leftUntil,
  sendByToText,
  sendWithin,
} from './observed-channel.ts';
import { LEDGER_LIMITS } from './limits.ts';
import { classify } from './outcome.ts';
import type { RecogniserDeps } from './recogniser.ts';
import { Recogniser, unanswered } from './recogniser.ts';
import type { LedgerRights } from './rights.ts';
import type { SendBy } from './observed-channel.ts';

export interface GatewayOptions {
  /** Returns the argument types of templates and choices. */
  readonly argumentsOf: ContractModel['argumentsOf'];
  readonly participants: readonly Participant[];
  readonly rights: LedgerRights;
  /** Returns the stored facts by which ledgers are recognised. If absent, ledgers are not checked. */
  readonly known?: RecogniserDeps['known'];
}

/**
 * Creates the gateway, which submits commands to participants. A refused submission is a return value, not an
 * exception.
 */
export function createLedgerGateway(options: GatewayOptions): LedgerGateway {
  const { known, ...rest } = options;
  const gateway = plainGateway(rest);
  if (known === undefined) return gateway;
  const targetOf = targetIn(options);
  const recogniser = new Recogniser({ gateway, known });
  return {
    ...gateway,
    submit: async (request, io) =>
      asUs(request, options.rights, io, (ours, within) =>
        submitRecognised(recogniser, targetOf(ours), ours, within),
      ),
  };
}

/** The participant of a command, and the types with which its arguments are encoded. */
interface Target {
  readonly participant: Participant;
  readonly argumentsOf: GatewayOptions['argumentsOf'];
}

function targetIn({ participants, argumentsOf }: GatewayOptions) {
  const participantOf = byName(participants);
  return ({ submitter }: SubmitRequest): Target => ({
    participant: participantOf(submitter.participant),
    argumentsOf,
  });
}

function plainGateway(options: Omit<GatewayOptions, 'known'>): LedgerGateway {
  const participantOf = byName(options.participants);
  const targetOf = targetIn(options);
  return {
    submit: async (request, io) =>
      asUs(request, options.rights, io, (ours, within) => submit(targetOf(ours), ours, within)),
    reach: (name, io) => reach(participantOf(name), io),
    ledgerEnd: (name, io) => ledgerEnd(participantOf(name), io),
    synchronizers: (name, io) => readSynchronizers(participantOf(name), io),
    synchronizersForParties: (name, io) =>
      readSynchronizersFor(participantOf(name), options.rights.of(name).actAs, io),
    prunedUpTo: (name, io) => prunedUpTo(participantOf(name), io),
    offsetOf: (name, updateId, io) =>
      offsetOf(participantOf(name), updateId, options.rights.of(name).readAs, io),
    updateAt: (name, offset, io) =>
      updateAt(participantOf(name), offset, options.rights.of(name).readAs, io),
  };
}

/**
 * Determines the ledger user as which a command is submitted. A participant accepts commands only from the ledger user
 * whose token we have. A command of another ledger user may already be in flight, and a ledger detects duplicates per
 * ledger user, so whether to submit it again as our user is not decided here. If our ledger user may not act as the
 * party, another process may be able to. The kind of the command decides, not its command ID: a command that can take
 * effect is submitted only as the ledger user in its attempt's row. Probes and time advances have no effect and no row,
 * so the gateway submits them as our ledger user.
 */
export async function asUs(
  request: SubmitRequest,
  rights: LedgerRights,
  io: Io,
  send: (request: SubmitRequest, io: Io) => Promise<LedgerAnswer | null>,
): Promise<LedgerAnswer | null> {
  const { submitter, command } = request;
  const sendBy = sendWithin(io.deadlineMs);
  // Rights that were read before this process restarted are too old to act on.
  const told = await rights.refresh(submitter.participant, Infinity, io).catch(unanswered);
  if ('class' in told) return told;
  const { ledgerUser, actAs } = told;
  const within: Io = { ...io, deadlineMs: leftUntil(sendBy) };
  if (within.deadlineMs <= 0) return TOO_LATE;
  if (submitter.ledgerUser === ledgerUser) {
    return orMayNotActAs(await send(request, within), submitter, rights, io);
  }
  if (!hasEffect(command)) {
    return send({ ...request, submitter: { ...submitter, ledgerUser } }, within);
  }
  const mayAct = actAs.includes(submitter.actAs);
  const who = `it was to go as ledger user ${submitter.ledgerUser}, and this process is ${ledgerUser}`;
  return {
    class: 'unknown',
    code: 'LEDGER_USER_CHANGED',
    explanation: mayAct ? who : `${who}, who may not act as ${submitter.actAs}`,
    text: 'not sent',
    takesNoTry: true,
    ...(mayAct ? { ledgerUser } : {}),
    ...NOTHING_SENT,
  };
}

/**
 * Reads the rights again, to find out whether our ledger user has lost all rights to act, or only the right for one
 * party.
 */
async function orMayNotActAs(
  answer: LedgerAnswer | null,
  { participant, ledgerUser, actAs }: SubmitRequest['submitter'],
  rights: LedgerRights,
  io: Io,
): Promise<LedgerAnswer | null> {
  if (answer === null || !LACKS_RIGHT.has(answer.code)) return answer;
  const deadlineMs = LEDGER_LIMITS.streamRightsMs;
  const now = await rights.refresh(participant, 0, { ...io, deadlineMs }).catch(() => null);
  if (now === null || now.actAs.length === 0) return answer;
  const explanation = now.actAs.includes(actAs)
    ? `${answer.explanation}; it may act as ${actAs} by now`
    : `ledger user ${ledgerUser} may not act as ${actAs}`;
  return { ...answer, code: MAY_NOT_ACT_AS, explanation };
}

async function ledgerEnd({ state }: Participant, io: Io): Promise<bigint> {
  const { offset } = await state.getLedgerEnd({}, callOptions(io));
  return offset;
}

/** Tests whether the participant is reachable, with a call that contains nothing of a command. */
async function reach(participant: Participant, io: Io): Promise<LedgerAnswer | null> {
  const { connection } = participant;
  if (connection.current() === null) await connection.awaited(LEDGER_LIMITS.connectedMs, io.signal);
  try {
    await ledgerEnd(participant, io);
    return null;
  } catch (error) {
    const answer = { ...classify(error), takesNoTry: true };
    return isUnreachable(answer) ? answer : null;
  }
}

/** The answer if the checks before a submission have used up the time within which the command must be sent. */
const TOO_LATE: LedgerAnswer = {
  class: 'unknown',
  code: 'RECOGNISED_TOO_LATE',
  explanation: 'nothing was sent, because the recognition of the participant took too long',
  text: 'not sent',
  takesNoTry: true,
  ...NOTHING_SENT,
};

async function submitRecognised(
  recogniser: Recogniser,
  target: Target,
  request: SubmitRequest,
  io: Io,
): Promise<LedgerAnswer | null> {
  const { participant } = target;
  const sendBy = sendWithin(io.deadlineMs);
  const connection = await recogniser.connectionTo(participant, io);
  if (typeof connection !== 'number') return connection;
  const deadlineMs = leftUntil(sendBy);
  if (deadlineMs <= 0) return TOO_LATE;
  const answer = await submit(target, request, { ...io, deadlineMs }, { connection, sendBy });
  if (answer?.class === 'unknown') recogniser.forget(participant.name);
  return answer;
}

/**
 * Submits a command. Does not send it if no connection took it in time: fetching a token may have taken too long, or
 * the process was suspended, and other processes already assume that the command was sent long ago.
 *
 * @param way the only connection that may carry the command, and the time limit
 */
async function submit(
  { participant, argumentsOf }: Target,
  request: SubmitRequest,
  io: Io,
  way: { readonly connection?: number; readonly sendBy: SendBy } = {
    sendBy: sendWithin(io.deadlineMs),
  },
): Promise<LedgerAnswer | null> {
  let commands: Commands;
  try {
    commands = commandsOf(request, argumentsOf);
  } catch (error) {
    return notSent(error);
  }
  const metadata = traceOf(request);
  metadata.set(SEND_BY_HEADER, sendByToText(way.sendBy));
  if (way.connection !== undefined) metadata.set(CONNECTION_HEADER, String(way.connection));
  try {
    await participant.submission.submit({ commands }, { ...callOptions(io), metadata });
    return null;
  } catch (error) {
    return classify(error);
  }
}

/** Returns the W3C Trace Context header as metadata of the call, as Canton's own clients send it. */
const traceOf = ({ traceparent }: SubmitRequest): Metadata =>
  traceparent === undefined ? Metadata() : Metadata({ traceparent });

function commandsOf(request: SubmitRequest, argumentsOf: GatewayOptions['argumentsOf']): Commands {
  return {
    commandId: request.commandId,
    submissionId: request.submissionId,
    workflowId: request.workflowId,
    userId: request.submitter.ledgerUser,
    actAs: [request.submitter.actAs],
    readAs: [],
    commands: [encodeCommand(request.command, argumentsOf)],
    // Always set, and the same for all attempts: the participant's default period would end during our retries.
    deduplicationPeriod: { $case: 'deduplicationOffset', value: request.deduplicationOffset },
    minLedgerTimeAbs: undefined,
    minLedgerTimeRel: undefined,
    disclosedContracts: request.disclosed.map(disclosedContract),
    synchronizerId: request.synchronizerId ?? '',
    packageIdSelectionPreference: [],
    prefetchContractKeys: [],
  };
}

function disclosedContract(contract: DisclosedContract): WireDisclosed {
  const [packageId = '', moduleName = '', entityName = ''] = contract.templateId.split(':');
  return {
    templateId: { packageId, moduleName, entityName },
    contractId: contract.contractId,
    createdEventBlob: Buffer.from(contract.createdEventBlob, 'base64'),
    synchronizerId: contract.synchronizerId,
  };
}

/**
 * Returns the answer for an argument that cannot be encoded. The participant would refuse it with the same code, so it
 * is not sent.
 */
function notSent(error: unknown): LedgerAnswer {
  if (!(error instanceof ArgumentError)) throw error;
  return {
    class: 'refused',
    code: CODES.notOfItsType,
    explanation: `the argument does not fit the template or choice: ${error.message}`,
    text: 'not sent',
    takesNoTry: false,
    ...NOTHING_SENT,
  };
}

async function updateAt(
  participant: Participant,
  offset: bigint,
  readAs: ReturnType<LedgerRights['of']>['readAs'],
  io: Io,
): ReturnType<LedgerGateway['updateAt']> {
  try {
    const updateFormat = wildcard(readAs);
    const { update } = await participant.update.getUpdateByOffset(
      { offset, updateFormat },
      callOptions(io),
    );
    if (update?.$case !== 'transaction' && update?.$case !== 'reassignment') return null;
    const { updateId, commandId, workflowId } = update.value;
    return { updateId: trusted<UpdateId>(updateId), commandId, workflowId };
  } catch (error) {
    if (classify(error).code !== CODES.noSuchUpdate) throw error;
    await requireNotPruned(participant, offset, io);
    return null;
  }
}

async function prunedUpTo({ state }: Participant, io: Io): Promise<bigint> {
  const answer = await state.getLatestPrunedOffsets({}, callOptions(io));
  return answer.participantPrunedUpToInclusive;
}

/** Throws if an offset was pruned. A participant reports pruned data as not found, which must not be an answer. */
async function requireNotPruned(participant: Participant, offset: bigint, io: Io): Promise<void> {
  if (offset > (await prunedUpTo(participant, io))) return;
  throw new Error(`participant ${participant.name} no longer keeps what was at offset ${offset}`);
}

async function offsetOf(
  participant: Participant,
  updateId: UpdateId,
  readAs: ReturnType<LedgerRights['of']>['readAs'],
  io: Io,
): Promise<bigint | null> {
  try {
    const request = { updateId, updateFormat: wildcard(readAs) };
    const { update } = await participant.update.getUpdateById(request, callOptions(io));
    return update?.value.offset ?? null;
  } catch (error) {
    const { code } = classify(error);
    if (code === CODES.noSuchUpdate || code === CODES.pruned) return null;
    throw error;
  }
}
