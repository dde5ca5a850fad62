import type { Chart } from './chart.ts';
import type { Colour, Shape } from './shape.ts';

/* A picture as the text of an SVG file, which contains its own colours and fonts. */

export type Theme = 'light' | 'dark';

/** The colours of tokens.css. A test checks that both files have the same colours. */
export const COLOURS: Readonly<Record<Colour, Readonly<Record<Theme, string>>>> = {
  surface: { light: '#ffffff', dark: '#191c1f' },
  sunken: { light: '#efefeb', dark: '#0c0e0f' },
  'line-strong': { light: '#8b8d86', dark: '#6f777f' },
  text: { light: '#1b1d1c', dark: '#e9ebea' },
  muted: { light: '#5b605d', dark: '#a2a9a6' },
  accent: { light: '#0f5e56', dark: '#6fd0c0' },
  'accent-soft': { light: '#e1efec', dark: '#14302c' },
  'on-accent': { light: '#ffffff', dark: '#06211d' },
};

const FONT = 'ui-sans-serif, system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const dashed = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);

const VARIABLE = /^var\(--(?<name>[a-z-]+)\)$/u;

/** Replaces a custom property by its colour, because not all programs that read SVG know custom properties. */
function inTheme(value: string | number, theme: Theme): string {
  const name = VARIABLE.exec(String(value))?.groups?.['name'];
  return name === undefined ? String(value) : COLOURS[name as Colour][theme];
}

function shapeText({ tag, attributes, text, children = [] }: Shape, theme: Theme): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${dashed(name)}="${escaped(inTheme(value, theme))}"`)
    .join('');
  const inside = `${escaped(text ?? '')}${children.map((child) => shapeText(child, theme)).join('')}`;
  return inside === '' ? `<${tag}${written}/>` : `<${tag}${written}>${inside}</${tag}>`;
}

/** Returns the text of an SVG file. @param title a description of the picture */
export function svgText(
  { width, height }: Chart,
  shapes: readonly Shape[],
  title: string,
  theme: Theme,
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${COLOURS.surface[theme]}"/>`,
    ...shapes.map((shape) => shapeText(shape, theme)),
    '</svg>',
    '',
  ].join('\n');
}
