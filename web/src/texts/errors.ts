import { counted } from './intl.ts';

/* Texts of the page for error codes. */

export const http = (status: string) => `HTTP ${status}`;
export const errors = 'Errors';
export const whatEachErrorCodeMeansAnd =
  'What each error code means, and what to do about it. Errors in these pages lead here.';
export const search = 'Search';
export const aCodeAStatusOrA = 'A code, a status or a word';
export const ofCodes = (shown: number, all: number) =>
  `${shown} of ${counted(all, 'code', 'codes')}`;
export const formatOfAllErrorAnswers = 'Format of all error answers';
export const noCodeMatches = 'No code matches.';
export const searchForFewerWordsOrFor = 'Search for fewer words, or for a status such as 409.';
