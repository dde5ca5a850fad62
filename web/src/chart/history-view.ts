import { signal } from '../signal.ts';

/** How much of each entry is told. */
export const HISTORY_VIEWS = ['compact', 'full', 'json'] as const;
export type HistoryView = (typeof HISTORY_VIEWS)[number];

/** The view of users is plain: it has no states and no identifiers. */
export type ShownView = HistoryView | 'plain';

const KEY = 'tenure.history';

function stored(): HistoryView {
  try {
    const kept = localStorage.getItem(KEY);
    return HISTORY_VIEWS.find((view) => view === kept) ?? 'compact';
  } catch {
    return 'compact';
  }
}

/** Chosen once for all histories of this browser, as the theme is. */
export const historyView = signal<HistoryView>(stored());

export function chooseHistoryView(view: HistoryView): void {
  historyView.set(view);
  try {
    localStorage.setItem(KEY, view);
  } catch {
    // A browser that keeps nothing shows the same until the page is left.
  }
}
