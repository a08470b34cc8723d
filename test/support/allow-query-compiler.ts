import { createRequire } from 'node:module';
import type { PrismaClient } from '../../src/database/generated/client';

interface CompilerLoader {
  getRuntime: () => Promise<unknown>;
  getQueryCompilerWasmModule: () => Promise<unknown>;
}

const require = createRequire(__filename);
const compiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql';

/**
 * The generated client loads its query compiler with import(), which Jest only does behind a flag of Node. The loader is
 * one object for all clients of a test file, so the first client of a file sees to it for all of them.
 */
export function allowQueryCompiler(prisma: PrismaClient): void {
  const { compilerWasm } = (prisma as unknown as { _engineConfig: { compilerWasm: CompilerLoader } })._engineConfig;
  compilerWasm.getRuntime = () => Promise.resolve(require(`${compiler}.js`));
  compilerWasm.getQueryCompilerWasmModule = () => {
    const { wasm } = require(`${compiler}.wasm-base64.js`) as { wasm: string };
    const { WebAssembly } = globalThis as unknown as { WebAssembly: { Module: new (code: Uint8Array) => object } };
    return Promise.resolve(new WebAssembly.Module(Buffer.from(wasm, 'base64')));
  };
}
