// A second subgraph, to try federation with: `node test/federation/reviews/main.mjs [PORT]`, by default port 4001.
// Compiles the TypeScript that it needs as it is required, so that it runs without a build and never runs a stale one.
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const configFile = fileURLToPath(new URL('../../../scripts/swc.json', import.meta.url));
Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { configFile }).code, file);

const { serveReviews } = createRequire(import.meta.url)('./serve-reviews.ts');
serveReviews(Number(process.argv[2] ?? 4001));
