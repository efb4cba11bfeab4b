import { defineConfig } from 'vite';
import { app } from '../ui/vite-app.js';

export default defineConfig(app('/dashboard/'));
