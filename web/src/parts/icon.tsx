import type { ReactNode } from 'react';

/** Icons of 16 by 16 pixels, drawn in the text's colour. */
const SHAPES = {
  check: <path d="m3 8.5 3.2 3.2L13 5" />,
  cross: <path d="m4 4 8 8M12 4l-8 8" />,
  clock: <path d="M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.6V8l2.4 1.6" />,
  alert: <path d="M8 2 1.8 13.2h12.4L8 2ZM8 6.4v3.2M8 11.4v.4" />,
  doubt: <path d="M5.6 6a2.5 2.5 0 1 1 3.4 2.3c-.7.3-1 .8-1 1.5M8 12v.4" />,
  copy: <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />,
  search: <path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.4 10.4 14 14" />,
  left: <path d="m10 3.5-4.5 4.5 4.5 4.5" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  down: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  up: <path d="m3.5 10 4.5-4.5 4.5 4.5" />,
  menu: <path d="M2 4h12M2 8h12M2 12h12" />,
  dots: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  out: <path d="M6 3H3v10h3M7 8h7M11 5l3 3-3 3" />,
  link: <path d="M9.5 2.5h4v4M13 3 7.5 8.5M11.5 9.5v4h-9v-9h4" />,
  sun: (
    <path d="M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
  ),
  moon: <path d="M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8Z" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2" />,
  play: <path d="M5 3.2v9.6l7.6-4.8L5 3.2Z" />,
  repeat: <path d="M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.8v2.8h-2.8" />,
  stop: <path d="M4 4h8v8H4z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  filter: <path d="M2 3.5h12L9.5 8.6v4.2l-3-1.5V8.6L2 3.5Z" />,
  dot: <circle cx="8" cy="8" r="3" fill="currentColor" stroke="none" />,
  ring: <circle cx="8" cy="8" r="4" />,
} as const satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof SHAPES;

/** An icon next to words. Screen readers ignore it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  );
}
