import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

/**
 * The address of a running Tenure, for the development server only. The built application is served by Tenure itself.
 */
const API = 'http://localhost:8080';
const API_PATHS =
  '^/(?!ui/)(?:user|feature-flags|login|login-links|logout|oauth2|licenses|app-|license-|contracts|operations|events|webhooks|ops|policies|admin|machines|docs|openapi|api)';

/**
 * The style sheet that is loaded first determines the order of the layers, and that may be a page's own sheet. So every
 * sheet declares the order.
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
    // The content security policy does not allow `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    cssCodeSplit: true,
    rolldownOptions: {
      // Otherwise, on a slow machine, the bundler prints at the first start how long its plugins took.
      checks: { bundlerTimings: false },
      // Puts each text of the catalogue where it is used, so that a page loads only its own texts.
      optimization: { inlineConst: { mode: 'all' } },
    },
  },
  server: { proxy: { [API_PATHS]: { target: API, changeOrigin: false } } },
});
