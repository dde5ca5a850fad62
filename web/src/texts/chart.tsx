import type { ReactNode } from 'react';
import { counted, numberText, plural } from './intl.ts';

/* Texts of the statechart of a lifecycle, its outline and its history. */

export const roles: Readonly<Record<string, string>> = {
  provider: 'the provider',
  user: 'the user',
  either: 'either side',
};
export const notNow = 'not now';
export const picture = 'Picture';
export const outline = 'Outline';
export const showTheChartAs = 'Show the chart as';
export const svg = 'SVG';
export const mermaid = 'Mermaid';
export const installRequest = 'install request';
export const event = 'Event';
export const by = 'By';
export const partyId = 'party ID';
export const operation = 'Operation';
export const command = 'Command';
export const commandId = 'command ID';
export const update = 'Update';
export const updateId = 'update ID';
export const contract = 'Contract';
export const contractId = 'contract ID';
export const through = 'Through';
export const offset = 'Offset';
export const operationWord = 'operation';
export const updateOf = (id: ReactNode) => <>update {id}</>;
export const throughOf = (through: ReactNode) => <>through {through}</>;
export const byOf = (partyName: string) => ` by ${partyName}`;
export const showThisMomentInTheChart = 'Show this moment in the chart';
export const compact = 'Compact';
export const full = 'Full';
export const viewOfTheHistory = 'View of the history';
export const json = 'JSON';
export const showOlderEntries = (count: string) => `Show older entries (${count})`;
export const theStateStays = 'the state stays';
export const onlyWhen = (guard: string) => `only when ${guard}`;
export const possibleNow = 'Possible now';
export const notNowOf = (reason: string) => `Not now: ${reason}`;
export const beginsHere = 'begins here';
export const onItsWayToTheLedger = 'on its way to the ledger';
export const endsHere = 'ends here';
export const thenLabel = 'Then';
export const nowLabel = 'Now';
export const pathTaken = 'Path taken';
export const stepBefore = 'Step before';
export const momentOfTheHistory = 'Moment of the history';
export const stepOf = (at: number, last: number, words: string) =>
  `Step ${at} of ${last}: ${words}`;
export const stepAfter = 'Step after';
export const backToNow = 'Back to now';
export const thenMark = '○ then';
export const nowMark = '● now';
export const possibleNowSentence = 'Possible now.';
export const notNowSentence = (reason: string) => `Not now: ${reason}.`;
export const notReached = 'not reached';
export const reached = (visits: number) => `reached ${visits} ×`;
export const pointAtAStateOrAn =
  'Point at a state or an action to see details. A state links to the time when it was reached.';
export const pathTakenNewestBoldest = 'path taken, newest boldest';
export const possibleNowWord = 'possible now';
export const beside: Readonly<Record<string, string>> = {
  'ledger.created': 'created',
  'command.succeeded': 'done',
  'command.refused': 'refused',
};
export const leadsTo = (words: string, chart: string) => `${words} leads to ${chart}`;
export const machineVersion = (title: string, version: number) =>
  `${title}, machine version ${version}`;
export const atStepNow = (chart: string, selected: number, now: string) =>
  `${chart} at step ${selected}, now ${now}`;
export const possibleNowOf = (possible: string) => `possible now: ${possible}`;
export const noneInAnyState = 'none in any state';
export const installationWord = 'installation';
export const licenceWord = 'licence';
export const renewalWord = 'renewal';
export const entriesNewestFirst = (count: number) =>
  `${counted(count, 'entry', 'entries')}, newest first`;
/** The numbers of steps: "steps 1, 5 and 9". */
export const stepNumbers = (count: number, shown: string) =>
  plural(count, { one: `step ${shown}`, other: `steps ${shown}` });
export const timesLast = (count: number, shown: string) =>
  `${counted(count, 'time', 'times')}, last ${shown}`;
export const toState = (state: string) => `to ${state}`;
export const createdAs = (words: string, state: string) => `${words} as ${state}`;
export const nowInWords = 'now';
export const thenInWords = 'then';
export const nowAfter = (now: string, steps: number) =>
  `now ${now}, after ${counted(steps, 'step', 'steps')}`;
export const lastSteps = (steps: readonly string[]) => `last: ${steps.join(', then ')}`;
export const named = (name: string, words: string) => `${name}: ${words}`;
export const many = (count: number) => `${numberText(count)}+`;
export const inState = (count: string, state: string) => `${count} ${state}`;
