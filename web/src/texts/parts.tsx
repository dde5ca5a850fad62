import type { ReactNode } from 'react';
import { numberText, plural } from './intl.ts';

/* Texts of the primitives: lists, tables, fields, dialogs, states of a page. */

export const table = 'Table';
export const filtersInUse = 'Filters in use';
export const remove = (name: string, value: string) => `Remove ${name} ${value}`;
export const removeAll = 'Remove all';
export const copied = 'Copied';
export const copy = (what: string) => `Copy ${what}`;
export const commandLine = (prefix: string) => `${prefix}Command line`;
export const copyAsCurlOrCommandLine = 'Copy as curl or command line';
export const copyAs = 'Copy as';
export const details = 'Details';
export const downloadAsCsv = 'Download as CSV';
export const close = 'Close';
export const anyOf = (label: string) => `${label}: any of`;
export const unit = 'Unit';
export const filters = 'Filters';
export const onlyThisUser = (user: string) => `${user}\nOnly this user`;
export const user = 'User';
export const showAllUsers = (name: string) => `${name}: show all users`;
export const search = 'Search';
export const numberNameOrReference = 'Number, name or reference';
export const current = 'Current';
export const ended = 'Ended';
export const state = 'State';
export const columns = 'Columns';
export const inAll = (count: string) => `${count} in all`;
export const moreThan = (count: string) => `more than ${count}`;
export const pagesOfTheList = 'Pages of the list';
export const firstPage = 'First page';
export const nextPage = 'Next page';
export const searchAndOrderApplyToThese = (count: number) =>
  `Search and order apply to ${plural(count, { one: 'this row', other: `these ${numberText(count)} rows` })}. The next page has the rows after ${plural(count, { one: 'it', other: 'them' })}.`;
export const selected = (count: string) => `${count} selected`;
export const clearSelection = 'Clear selection';
export const nameOfRow = (at: number) => `Name ${at}`;
export const valueOfRow = (at: number) => `Value ${at}`;
export const removeRow = (at: number) => `Remove row ${at}`;
export const isTheMaximum64 = '64 is the maximum.';
export const addANameAndValue = 'Add a name and value';
export const aValueHasNoName = 'A value has no name.';
export const isThereTwice = (twice: string) => `“${twice}” is there twice.`;
export const hasMoreThan4096Characters = (long: string) =>
  `“${long}” has more than 4,096 characters.`;
export const notFound = 'Not found.';
export const nothingHasThisIdentifierOrYou = (link: ReactNode) => (
  <>
    Nothing has this identifier, or you have no permission to see it. {link}, or find it with Ctrl
    K.
  </>
);
export const toTheList = 'To the list';
export const tenure = (title: string) => `${title} · Tenure`;
export const json = 'JSON';
export const loading = 'Loading';
export const code = 'Code';
export const ledger = 'Ledger';
export const trace = 'Trace';
export const tryAgain = 'Try again';
export const theServerDoesNotAnswer = 'The server does not answer';
export const thereIsNoConnectionEverything =
  'There is no connection. Everything that you have sent is kept, and continues when the server is back.';
export const thePageShowsEarlierData = 'The page shows earlier data.';
export const tooManyRequestsInAMinute = 'Too many requests in a minute';
export const thePageIsReadAgain = (retryAfterS: string) =>
  `${retryAfterS} The page is read again automatically then.`;
export const theListHasChangedShow = 'The list has changed: show';
export const selectAllRows = 'Select all rows';
export const select = (row: string) => `Select ${row}`;
export const justNow = 'just now';
export const dH = (days: number, hours: number) => `${days}d ${hours}h`;
export const left = (leftMs: string) => `${leftMs} left`;
export const saveThisView = 'Save this view';
export const aViewNeedsAName = 'A view needs a name.';
export const name = 'Name';
export const thisBrowserKeepsTheFiltersThe =
  'This browser keeps the filters, the order and the columns. To share a view, share its address.';
export const cancel = 'Cancel';
export const save = 'Save';
export const deleteView = (name: string) => `Delete view ${name}`;
export const all = 'All';
export const views = 'Views';
export const saveView = 'Save view';
export const steps: Readonly<Record<string, string>> = {
  'request-install': 'Request installation',
  'accept-install-request': 'Accept request',
  'reject-install-request': 'Reject request',
  'cancel-install-request': 'Withdraw request',
  'create-license': 'Create licence',
  'cancel-install': 'Cancel installation',
  'expire-license': 'Expire licence',
  'renew-license': 'Offer renewal',
  'complete-renewal': 'Complete renewal',
  'withdraw-renewal': 'Withdraw renewal',
  'comment-license': 'Comment',
};
/** Words for the operation that is in progress in a state, as the end of "not possible while …". */
export const underWay: Readonly<Record<string, string>> = {
  accepting: 'the request is being accepted',
  rejecting: 'the request is being rejected',
  cancelling: 'it is being cancelled',
  creatingLicense: 'a licence is being created',
  renewing: 'a renewal is being offered',
  expiring: 'the licence is being ended',
  completing: 'the renewal is being completed',
  withdrawing: 'it is being withdrawn',
};
export const queued = 'Queued';
export const submitting = 'Submitting';
export const retrying = 'Retrying';
export const inDoubt = 'In doubt';
export const succeeded = 'Succeeded';
export const rejected = 'Rejected';
export const failed = 'Failed';
export const cancelled = 'Cancelled';
export const notPossibleWhile = (underWay: string) => `not possible while ${underWay}`;
export const itIs = (state: string) => `it is ${state}`;
export const installRequest = 'Install request';
export const installation = 'Installation';
export const licence = 'Licence';
export const renewal = 'Renewal';
export const anyTime = 'Any time';
export const anHour = 'An hour';
export const hours24 = '24 hours';
export const days7 = '7 days';
export const days30 = '30 days';
/** Short units of a span of time. */
export const spanUnits = {
  ms: (count: string) => `${count} ms`,
  s: (count: string) => `${count} s`,
  min: (count: string) => `${count} min`,
  h: (count: string) => `${count} h`,
  d: (count: string) => `${count} d`,
};
export const bytes = (count: string) => `${count} B`;
export const kilobytes = (count: string) => `${count} kB`;
export const megabytes = (count: string) => `${count} MB`;
export const minutes = 'minutes';
export const hours = 'hours';
export const days = 'days';
export const moreRows = (count: string) => `${count} more`;
export const rangeOfAll = (range: string, total: string) => `${range} of ${total}`;
export const curlOf = (prefix: string) => `${prefix}curl`;
export const actPrefix = (name: string) => `${name}: `;

export const yourPermissionsAllowReading = 'Your permissions allow reading only.';
