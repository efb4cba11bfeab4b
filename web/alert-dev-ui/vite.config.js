import { defineConfig } from 'vite';
import { app } from '../ui/vite-app.js';

// The page to submit alerts, and the description of the API, which is served at `/docs/`.
export default defineConfig(app('/dev-ui/', ['index.html', 'api.html']));
