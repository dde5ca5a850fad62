import type { Io } from '../../src/app/ports/io.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import { errorLine } from '../../src/domain/error-text.ts';
import { readRights } from '../../src/ledger/rights.ts';
import type { ParticipantRights } from '../../src/ledger/rights.ts';
import type { Config } from '../../src/main/config.ts';
import { loadConfig, readEnvironment } from '../../src/main/config.ts';
import { PROVIDER, openConfigured } from '../../src/main/ledger-side.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';
import { readRunState, settingsOf } from '../../src/main/run-state.ts';
import { CellError } from './cell.ts';
import type { CellParticipant } from './cell-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the configuration of this cell. Addresses of services that are not set are those of the services that a
 * Tenure running in this folder has started.
 */
export async function configOf(environment: Environment): Promise<Config> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(environment);
  const state = await readRunState(dataDir);
  return loadConfig(settingsOf(environment, state));
}

/** The provider for whom a cell acts. */
export interface Acting {
  readonly provider: string;
  readonly participants: readonly CellParticipant[];
}

/**
 * Returns the provider for whom this cell acts, and its ledger user at each participant, as the participants report
 * them now.
 *
 * @throws CellError if a participant does not answer, or the provider is neither configured nor the only party
 */
export async function actingOf(config: Config): Promise<Acting> {
  await using stack = new AsyncDisposableStack();
  const http = createOutgoingHttp();
  stack.defer(() => http.close());
  const io: Io = {
    signal: new AbortController().signal,
    deadlineMs: MAIN_LIMITS.startCallMs,
  };
  const rights = new Map<string, ParticipantRights>();
  for (const each of config.participants) {
    const participant = openConfigured(config, each, http.fetch);
    stack.defer(() => participant.close());
    try {
      rights.set(each.name, await readRights(participant, io));
    } catch (error) {
      throw new CellError(
        `participant ${each.name} does not report the ledger user of Tenure: ${errorLine(error)}`,
      );
    }
  }
  const actAs = rights.get(PROVIDER)?.actAs ?? [];
  const provider = config.providerParty ?? (actAs.length === 1 ? actAs[0] : undefined);
  if (provider === undefined || !actAs.includes(provider)) {
    throw new CellError(
      'the ledger user has no right to act as the provider: set APP_PROVIDER_PARTY',
    );
  }
  return {
    provider,
    participants: [...rights].map(([name, { ledgerUser }]) => ({ name, ledgerUser })),
  };
}
