// Compiles src/ to dist/esm and dist/cjs, with types: `npm run build`. Uses the TypeScript of the surrounding project.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = import.meta.dirname;
const [given] = process.argv.slice(2);
const target = given ?? join(root, 'dist');
if (given !== undefined && existsSync(given) && readdirSync(given).length > 0) {
  process.stderr.write(`${given}: expected a directory that does not exist or is empty, got one with files in it.\n`);
  process.exit(1);
}
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: false }, root);
const sources = readdirSync(join(root, 'src'));

// Deletes an earlier build from the default directory.
if (given === undefined) rmSync(target, { recursive: true, force: true });
for (const [format, module] of [
  ['esm', ts.ModuleKind.ES2022],
  ['cjs', ts.ModuleKind.CommonJS],
]) {
  const directory = join(target, format);
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'package.json'),
    `${JSON.stringify({ type: format === 'esm' ? 'module' : 'commonjs', sideEffects: false })}\n`,
  );
  for (const source of sources) {
    // Files with types only.
    if (['types.ts', 'openapi.ts'].includes(source)) continue;
    // Comments are kept in the type declarations.
    const compilerOptions = { ...options, module, removeComments: true };
    const { outputText } = ts.transpileModule(readFileSync(join(root, 'src', source), 'utf8'), { compilerOptions });
    writeFileSync(join(directory, source.replace(/\.ts$/, '.js')), outputText);
  }
}

/** Type declarations, the same for both formats. */
const files = sources.map((source) => join(root, 'src', source));
const program = ts.createProgram(files, {
  ...options,
  declaration: true,
  emitDeclarationOnly: true,
  outDir: join(target, 'esm'),
});
const { diagnostics } = program.emit(undefined, (file, declarations) => {
  const text = declarations.replace(/from '(\.\/[^']+)\.ts'/g, "from '$1.js'");
  writeFileSync(file, text);
  writeFileSync(file.replace(join(target, 'esm'), join(target, 'cjs')), text);
});
const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (problems.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}
