import type { Profiler } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/*
 * Evaluates V8's processor profile of one process: the functions' own times, and a flame graph, which is a single SVG
 * that any browser can open.
 */

/** A function in the tree of calls, with the functions that it called. Times are in milliseconds. */
interface Frame {
  readonly name: string;
  totalMs: number;
  readonly calls: Map<string, Frame>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const placeOf = ({ url, lineNumber }: Profiler.ProfileNode['callFrame']): string => {
  if (url === '') return '';
  const path = url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url;
  return ` ${path.replace(/^.*node_modules\//u, '')}:${lineNumber + 1}`;
};

const nameOf = ({ callFrame }: Profiler.ProfileNode): string =>
  `${callFrame.functionName === '' ? '(anonymous)' : callFrame.functionName}${placeOf(callFrame)}`;

/** For each node of the profile, by its ID, returns the milliseconds during which it was at the top of the stack. */
function selfTimes({ samples = [], timeDeltas = [] }: Profiler.Profile): Map<number, number> {
  const found = new Map<number, number>();
  for (const [n, id] of samples.entries()) {
    found.set(id, (found.get(id) ?? 0) + (timeDeltas[n] ?? 0) / 1_000);
  }
  return found;
}

/** Returns the own time of each function, without idle time. The longest comes first. */
export function topFunctions(profile: Profiler.Profile): { name: string; ms: number }[] {
  const times = selfTimes(profile);
  const found = new Map<string, number>();
  for (const node of profile.nodes) {
    const name = nameOf(node);
    found.set(name, (found.get(name) ?? 0) + (times.get(node.id) ?? 0));
  }
  return [...found]
    .map(([name, ms]) => ({ name, ms }))
    .filter(({ name }) => name !== '(idle)' && !name.startsWith('post node:inspector'))
    .toSorted((a, b) => b.ms - a.ms);
}

/** Returns the tree of calls. Functions with the same name and the same caller are combined. */
function framesOf(profile: Profiler.Profile): Frame {
  const times = selfTimes(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const add = (node: Profiler.ProfileNode, into: Frame): number => {
    const name = nameOf(node);
    if (name === '(idle)') return 0;
    const frame = into.calls.get(name) ?? { name, totalMs: 0, calls: new Map<string, Frame>() };
    into.calls.set(name, frame);
    let totalMs = times.get(node.id) ?? 0;
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) totalMs += add(child, frame);
    }
    frame.totalMs += totalMs;
    return totalMs;
  };
  const all: Frame = { name: 'all', totalMs: 0, calls: new Map() };
  const [root] = profile.nodes;
  if (root !== undefined) all.totalMs = add(root, all);
  return all;
}

const WIDTH = 1_800;
const HEIGHT = 16;
/** The minimum width of a frame in pixels. Narrower frames are not drawn. */
const NARROWEST = 0.5;
const CHARACTER = 6.2;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * @returns an SVG with callers above the functions that they call. The width of a frame is proportional to its time,
 *   which a tooltip shows
 */
export function flameGraph(profile: Profiler.Profile): string {
  const all = framesOf(profile);
  const scale = WIDTH / Math.max(all.totalMs, 1);
  const drawn: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number): void => {
    const width = frame.totalMs * scale;
    if (width < NARROWEST) return;
    deepest = Math.max(deepest, depth);
    const share = ((frame.totalMs / all.totalMs) * 100).toFixed(1);
    const hue = frame.name.includes(' src/') ? 20 : frame.name.includes(' node:') ? 200 : 50;
    const text = frame.name.slice(0, Math.floor(width / CHARACTER));
    drawn.push(
      `<g><title>${escaped(frame.name)}: ${frame.totalMs.toFixed(0)} ms, ${share} %</title>` +
        `<rect x="${x.toFixed(1)}" y="${depth * HEIGHT}" width="${width.toFixed(1)}" height="${HEIGHT - 1}" ` +
        `fill="hsl(${hue},80%,${60 + ((frame.name.length * 7) % 20)}%)"/>` +
        `<text x="${(x + 2).toFixed(1)}" y="${depth * HEIGHT + 11}">${escaped(text)}</text></g>`,
    );
    let at = x;
    for (const call of [...frame.calls.values()].toSorted((a, b) => b.totalMs - a.totalMs)) {
      draw(call, at, depth + 1);
      at += call.totalMs * scale;
    }
  };
  draw(all, 0, 0);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${(deepest + 1) * HEIGHT}" ` +
    `font-family="monospace" font-size="10">${drawn.join('\n')}</svg>\n`
  );
}
