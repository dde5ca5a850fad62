import type { LocalnetOptions as NetworkOptions } from '../localnet/localnet.ts';
import { FIXED_PORTS, FREE_PORTS, PARTICIPANT_NAMES, SINGLE_PORTS } from '../localnet/ports.ts';
import { perParticipant } from '../localnet/ports.ts';
import type { ParticipantName, PortMap } from '../localnet/ports.ts';
import type { LocalnetOptions } from './api.ts';
import { checkOptions } from './check-options.ts';
import { readSnapshot } from './snapshot.ts';

const PASSED_ON = [
  'auth',
  'checkpointIntervalMs',
  'host',
  'isSingle',
  'issuerBase',
  'latencyMs',
  'ledgerTimeToleranceMs',
  'log',
  'maxCommandsInFlight',
  'maxDeduplicationDurationMs',
  'partyHint',
  'trafficBalance',
] as const satisfies readonly (keyof LocalnetOptions & keyof NetworkOptions)[];
const OWN = ['parties', 'users', 'dars', 'time', 'dataFolder', 'snapshot', 'faults', 'ports'];
const KNOWN = new Set<string>([...PASSED_ON, ...OWN]);

/** Returns the network's options. @throws TypeError for an unknown option, or an option with a wrong value */
export function networkOptions(options: LocalnetOptions): NetworkOptions {
  checkOptions(options);
  const unknown = Object.keys(options).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) {
    const known = [...KNOWN].toSorted((a, b) => a.localeCompare(b)).join(', ');
    throw new TypeError(`LocalNet has no option ${unknown.join(', ')}; there are ${known}`);
  }
  const { dataFolder, snapshot, time, ports, isSingle = false } = options;
  const from = snapshot === undefined ? undefined : readSnapshot(snapshot);
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && PASSED_ON.some((passed) => passed === name),
  );
  const staticTime = staticTimeOf(time, from?.staticTime);
  return {
    ...(from === undefined ? {} : from.network),
    ...Object.fromEntries(given),
    ports: portsOf(ports ?? 'free', isSingle || from?.network.isSingle === true),
    ...(dataFolder === undefined ? {} : { dataDir: dataFolder }),
    ...(from === undefined ? {} : { history: from.history }),
    ...(staticTime === undefined ? {} : { staticTime }),
  };
}

/** Returns where static time starts; `undefined` if the ledger uses wall time. */
function staticTimeOf(
  time: LocalnetOptions['time'],
  ofSnapshot: string | undefined,
): string | undefined {
  if (time instanceof Date) return time.toISOString();
  if (time === 'static') return ofSnapshot ?? new Date().toISOString();
  return time === 'wall' ? undefined : ofSnapshot;
}

function portsOf(wanted: NonNullable<LocalnetOptions['ports']>, isSingle: boolean): PortMap {
  if (wanted === 'fixed') return isSingle ? SINGLE_PORTS : FIXED_PORTS;
  if (wanted === 'free') return FREE_PORTS;
  const { participants = {}, ...others } = wanted;
  const given = (name: ParticipantName) => participants[name] ?? {};
  return {
    ...FREE_PORTS,
    ...others,
    participants: perParticipant(false, (name) => ({
      ...FREE_PORTS.participants[name],
      // A single participant has all three names, so it gets the ports that are given for any of them.
      ...(isSingle ? Object.assign({}, ...PARTICIPANT_NAMES.map(given)) : given(name)),
    })),
  };
}
