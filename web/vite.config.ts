import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

/** Where a running Tenure answers, for `vite` alone: the built application is served by it. */
const API = 'http://localhost:8080';
const API_PATHS =
  '^/(?!ui/)(?:user|feature-flags|login|login-links|logout|oauth2|licenses|app-|license-|contracts|operations|events|webhooks|ops|policies|admin|machines|docs|openapi|api)';

/**
 * Which layer wins is decided by the style sheet that comes first, and a page's own may come before the application's:
 * each of them says the order.
 */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.module.css') ? `@layer tokens, base, parts;\n${code}` : null,
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/ui/',
  plugins: [layerOrder, react()],
  build: {
    target: 'es2023',
    // The content security policy has no `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    cssCodeSplit: true,
    // On a slow machine the bundler would print at the first start which plugins took how long.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { proxy: { [API_PATHS]: { target: API, changeOrigin: false } } },
});
