import { signal } from '../signal.ts';

/** How much of each entry is shown. */
export const HISTORY_VIEWS = ['compact', 'full', 'json'] as const;
export type HistoryView = (typeof HISTORY_VIEWS)[number];

/** A view of the history. Users see the plain view, which shows no states and no identifiers. */
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

/** The chosen view. Like the theme, it applies to all histories in this browser. */
export const historyView = signal<HistoryView>(stored());

export function chooseHistoryView(view: HistoryView): void {
  historyView.set(view);
  try {
    localStorage.setItem(KEY, view);
  } catch {
    // If the browser does not allow storage, the choice lasts until the person leaves the page.
  }
}
