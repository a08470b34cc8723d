// A second subgraph, to try federation with: `node test/federation/reviews/main.mjs [PORT]`, by default port 4001.
// Compiles the TypeScript that it needs as it is required, so that it runs without a build and never runs a stale one.
import Module, { createRequire } from 'node:module';
import { transformFileSync } from '@swc/core';

Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { swcrc: true }).code, file);

const { serveReviews } = createRequire(import.meta.url)('./serve-reviews.ts');
serveReviews(Number(process.argv[2] ?? 4001));
