import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Lets files outside the project import the packages installed here. */
export const linkPackages = (directory: string): void =>
  symlinkSync(join(__dirname, 'node_modules'), join(directory, 'node_modules'));

/** TypeScript's errors in files under `strict`, as `file(line): message`. The types of packages are not checked. */
export function findTypeErrors(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName ?? ''}(${line}): ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
