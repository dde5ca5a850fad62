import { mkdirSync, writeFileSync } from 'node:fs';
import { CHARTS } from '../machines/charts.ts';
import { sceneOf } from '../web/src/chart/scene.ts';
import { svgText } from '../web/src/chart/svg-text.ts';
import type { Theme } from '../web/src/chart/svg-text.ts';
import { chartName } from '../web/src/chart/words.ts';

/*
 * Writes the pictures of docs/ARCHITECTURE.md: the newest machine of each kind, as the web application draws it. To be
 * run after machines/charts.json or the drawing has changed.
 */

const THEMES: readonly Theme[] = ['light', 'dark'];

/** Names of the files in docs/machines, with their texts. */
export const pictures = (): ReadonlyMap<string, string> =>
  new Map(
    CHARTS.filter(({ newest }) => newest).flatMap((chart) =>
      THEMES.map((theme) => [
        `${chart.kind}-${theme}.svg`,
        svgText(chart, sceneOf(chart), chartName(chart), theme),
      ]),
    ),
  );

if (import.meta.main) {
  const folder = new URL('../docs/machines/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pictures()) writeFileSync(new URL(name, folder), text);
}
