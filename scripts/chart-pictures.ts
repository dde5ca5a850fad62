import { mkdirSync, writeFileSync } from 'node:fs';
import { CHARTS } from '../machines/charts.ts';
import { sceneOf } from '../web/src/chart/scene.ts';
import { svgText } from '../web/src/chart/svg-text.ts';
import type { Theme } from '../web/src/chart/svg-text.ts';
import { chartName } from '../web/src/chart/words.ts';

/*
 * Writes the pictures in docs/ARCHITECTURE.md: the newest machine of each kind, drawn in the same way as in the web
 * application. Run this script after a change of machines/charts.json, or of the code that draws.
 */

const THEMES: readonly Theme[] = ['light', 'dark'];

/** Returns the contents of the files in docs/machines, by file name. */
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
