import { ChannelCredentials } from '@grpc/grpc-js';
import type { ChannelOptions } from '@grpc/grpc-js';
import { createClientFactory } from 'nice-grpc';
import type { CallOptions, ClientMiddleware, ClientMiddlewareCall } from 'nice-grpc';
import { deadlineMiddleware } from 'nice-grpc-client-middleware-deadline';
import type { DeadlineOptions } from 'nice-grpc-client-middleware-deadline';
import { Metadata, composeClientMiddleware } from 'nice-grpc-common';
import type { Io } from '../app/ports/io.ts';
import type { AccessTokens, TokenAnswer } from '../app/ports/access-tokens.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { assert } from '../domain/unreachable.ts';
import type { PartyManagementServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { PartyManagementServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import type { UserManagementServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { UserManagementServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { CommandCompletionServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { CommandCompletionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { CommandSubmissionServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { CommandSubmissionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { StateServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { StateServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { TimeServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import { TimeServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/testing/time_service.ts';
import type { UpdateServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { UpdateServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { VersionServiceClient } from '../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import { VersionServiceDefinition } from '../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import type { Connection } from './observed-channel.ts';
import { ObservedChannel } from './observed-channel.ts';
import { isUnauthenticated, TokenError, translateErrors } from './outcome.ts';
import { LEDGER_LIMITS } from './limits.ts';

/** Permits gRPC without TLS. A symbol, so that a search finds every use: only LocalNet and tests. */
export const allowPlaintext: unique symbol = Symbol('allowPlaintext');

export interface ParticipantConfig {
  readonly name: ParticipantName;
  /** `host:port` of the Ledger API. */
  readonly address: string;
  readonly tokens: AccessTokens;
  readonly keepalive?: { readonly everyMs: number; readonly answerMs: number };
  readonly [allowPlaintext]?: true;
}

/** The services of one participant that Tenure calls, over one connection. */
export interface Participant {
  readonly name: ParticipantName;
  readonly submission: CommandSubmissionServiceClient<DeadlineOptions>;
  readonly completion: CommandCompletionServiceClient<DeadlineOptions>;
  readonly update: UpdateServiceClient<DeadlineOptions>;
  readonly state: StateServiceClient<DeadlineOptions>;
  readonly userManagement: UserManagementServiceClient<DeadlineOptions>;
  readonly partyManagement: PartyManagementServiceClient<DeadlineOptions>;
  readonly version: VersionServiceClient<DeadlineOptions>;
  readonly time: TimeServiceClient<DeadlineOptions>;
  readonly connection: Connection;
  /** Ends all calls and streams. */
  close(): void;
}

/** Returns a configured participant. An unknown name is a bug in the caller. */
export function byName<Named extends { readonly name: ParticipantName }>(
  participants: readonly Named[],
): (name: ParticipantName) => Named {
  const known = new Map(participants.map((participant) => [participant.name, participant]));
  return (name) => {
    const participant = known.get(name);
    assert(participant !== undefined, `participant ${name} is configured`);
    return participant;
  };
}

/** Returns the limits of one call. The deadline includes the time for a token and for a second try. */
export const callOptions = (io: Io): { signal: AbortSignal; deadline: Date } => ({
  signal: io.signal,
  deadline: new Date(Date.now() + io.deadlineMs),
});

/** Pings while a call is open, to detect a connection that died silently. */
const KEEPALIVE = {
  everyMs: LEDGER_LIMITS.keepaliveMs,
  answerMs: LEDGER_LIMITS.keepaliveAnswerMs,
};

const OPTIONS: ChannelOptions = {
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.max_receive_message_length': LEDGER_LIMITS.responseBytesMax,
  'grpc.max_send_message_length': LEDGER_LIMITS.requestBytesMax,
  // The library's own retries would hide whether a command was sent twice.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  // The participant's address is determined only by configuration, not by proxy variables of the environment.
  'grpc.enable_http_proxy': 0,
  // Reconnects quickly to a participant that is reachable again: a refused connection costs almost nothing.
  'grpc.initial_reconnect_backoff_ms': LEDGER_LIMITS.reconnectMsMin,
  'grpc.max_reconnect_backoff_ms': LEDGER_LIMITS.reconnectMsMax,
};

/**
 * The middleware of every call, independent of the transport: token outermost, then errors, then the deadline.
 * Composition puts the last middleware outermost.
 */
export const callPath = (tokens: AccessTokens): ClientMiddleware<DeadlineOptions> =>
  [tellDeadline, translateErrors, bearer(tokens)].reduce(
    (inner, outer) => composeClientMiddleware(inner, outer),
    deadlineMiddleware,
  );

/** Opens a participant. The connection is made by the first call. */
export function openParticipant(config: ParticipantConfig): Participant {
  const { target, options } = loopback(config.address);
  const credentials =
    config[allowPlaintext] === true
      ? ChannelCredentials.createInsecure()
      : ChannelCredentials.createSsl(null);
  const { everyMs, answerMs } = config.keepalive ?? KEEPALIVE;
  const channel = new ObservedChannel(target, credentials, {
    ...OPTIONS,
    'grpc.keepalive_time_ms': everyMs,
    'grpc.keepalive_timeout_ms': answerMs,
    ...options,
  });
  const clients = createClientFactory().use(callPath(config.tokens));
  return {
    name: config.name,
    submission: clients.create(CommandSubmissionServiceDefinition, channel),
    completion: clients.create(CommandCompletionServiceDefinition, channel),
    update: clients.create(UpdateServiceDefinition, channel),
    state: clients.create(StateServiceDefinition, channel),
    userManagement: clients.create(UserManagementServiceDefinition, channel),
    partyManagement: clients.create(PartyManagementServiceDefinition, channel),
    version: clients.create(VersionServiceDefinition, channel),
    time: clients.create(TimeServiceDefinition, channel),
    connection: channel,
    close: () => channel.close(),
  };
}

/** Replaces names under `localhost`, which mean this machine (RFC 6761), because not every resolver knows that. */
function loopback(address: string): { target: string; options: ChannelOptions } {
  const match = /^(?:[^:]+\.)localhost:(\d+)$/i.exec(address);
  if (match === null) return { target: address, options: {} };
  return {
    target: `ipv4:127.0.0.1:${match[1]}`,
    options: { 'grpc.default_authority': address },
  };
}

/** Sends the deadline to the participant, so that it does not start work whose caller has already given up. */
async function* tellDeadline<Request, Response>(
  call: ClientMiddlewareCall<Request, Response, DeadlineOptions>,
  options: CallOptions & Partial<DeadlineOptions>,
): AsyncGenerator<Response, Response | void, undefined> {
  if (options.deadline === undefined) return yield* call.next(call.request, options);
  const leftMs = Math.max(1, Math.ceil(leftUntil(options.deadline)));
  const metadata = Metadata(options.metadata).set('grpc-timeout', `${leftMs}m`);
  return yield* call.next(call.request, { ...options, metadata });
}

/**
 * Sends the token with each call. A call that is refused because of its token has had no effect, so it is repeated once
 * with a new token. A stream that has already delivered elements is not repeated, because it would start from the
 * beginning.
 */
const bearer = (tokens: AccessTokens): ClientMiddleware<object, DeadlineOptions> =>
  async function* bearerMiddleware<Request, Response>(
    call: ClientMiddlewareCall<Request, Response, DeadlineOptions>,
    options: CallOptions & Partial<DeadlineOptions>,
  ): AsyncGenerator<Response, Response | void, undefined> {
    const first = tokenOf(await tokens.current(tokenBounds(options)));
    let delivered = false;
    let second: string;
    try {
      if (!call.responseStream) return yield* call.next(call.request, withToken(options, first));
      for await (const element of call.next(call.request, withToken(options, first))) {
        delivered = true;
        yield element;
      }
      return undefined;
    } catch (error) {
      if (delivered || !isUnauthenticated(error)) throw error;
      second = tokenOf(await tokens.renew(first, tokenBounds(options)));
      if (second === first) throw error;
    }
    return yield* call.next(call.request, withToken(options, second));
  };

function tokenOf(answer: TokenAnswer): string {
  if (answer.kind === 'token') return answer.token;
  throw new TokenError(answer.kind, answer.detail);
}

const withToken = <Options extends CallOptions>(options: Options, token: string): Options => ({
  ...options,
  metadata: Metadata(options.metadata).set('authorization', `Bearer ${token}`),
});

const tokenBounds = ({ signal, deadline }: CallOptions & Partial<DeadlineOptions>): Io => ({
  signal: signal ?? NEVER,
  deadlineMs: deadline === undefined ? LEDGER_LIMITS.tokenMs : Math.max(0, leftUntil(deadline)),
});

const NEVER = new AbortController().signal;

const leftUntil = (deadline: Date | number): number =>
  deadline instanceof Date ? deadline.getTime() - Date.now() : deadline;
