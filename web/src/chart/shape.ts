import type { Box } from './chart.ts';

/* Shapes of a picture as plain values. React draws them in a page, and `svg-text.ts` writes them to files. */

export type Attributes = Readonly<Record<string, string | number>>;

export interface Shape {
  readonly tag: 'g' | 'path' | 'rect' | 'circle' | 'text';
  /** Attributes under the names that React uses. Colours are names of tokens: see `colour`. */
  readonly attributes: Attributes;
  readonly text?: string;
  readonly children?: readonly Shape[];
  /** Whether the shape moves. It does not if the reader prefers reduced motion, or in a file. */
  readonly isPulsing?: true;
}

/** Colours of the pictures, which are custom properties in tokens.css. */
export type Colour =
  | 'surface'
  | 'sunken'
  | 'line-strong'
  | 'text'
  | 'muted'
  | 'accent'
  | 'accent-soft'
  | 'on-accent';

export const colour = (name: Colour): string => `var(--${name})`;

export const rect = ({ x, y, width, height }: Box, radius: number, more: Attributes): Shape => ({
  tag: 'rect',
  attributes: { x, y, width, height, rx: radius, ...more },
});

interface Write {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: Colour;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export const write = (
  text: string,
  { x, y, size, fill, weight = 400, anchor = 'middle' }: Write,
): Shape => ({
  tag: 'text',
  attributes: {
    x,
    y,
    fontSize: size,
    fontWeight: weight,
    textAnchor: anchor,
    dominantBaseline: 'central',
    fill: colour(fill),
  },
  text,
});
