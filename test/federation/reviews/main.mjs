// A second subgraph for trying out federation: `node test/federation/reviews/main.mjs [PORT]` (default 4001). Compiles
// its TypeScript when it is loaded, so it needs no build and is never stale.
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const configFile = fileURLToPath(new URL('../../../scripts/swc.json', import.meta.url));
Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { configFile }).code, file);

const { serveReviews } = createRequire(import.meta.url)('./serve-reviews.ts');
serveReviews(Number(process.argv[2] ?? 4001));
