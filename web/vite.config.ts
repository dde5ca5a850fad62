import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where a running Tenure answers, for `vite` alone: the built application is served by it. */
const API = 'http://localhost:8080';
const API_PATHS =
  '^/(?!ui/)(?:user|feature-flags|login|login-links|logout|oauth2|licenses|app-|license-|contracts|operations|events|webhooks|ops|policies|admin|machines|docs|openapi|api)';

export default defineConfig({
  root: import.meta.dirname,
  base: '/ui/',
  plugins: [react()],
  build: {
    target: 'es2023',
    // The content security policy has no `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    cssCodeSplit: true,
  },
  server: { proxy: { [API_PATHS]: { target: API, changeOrigin: false } } },
});
