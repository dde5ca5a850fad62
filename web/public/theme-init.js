// Before the first paint, so that no page flashes in the other theme. See src/preferences.ts.
(() => {
  let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('tenure.preferences') ?? '{}');
  } catch {
    // What is not readable is as if it were not there.
  }
  const { theme, density } = chosen;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (density === 'compact') document.documentElement.dataset.density = density;
})();
