import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** The stages of the Dockerfile, each a list of instructions that starts with FROM. */
export function readStages(): readonly (readonly Instruction[])[] {
  const text = readFileSync(join(__dirname, '../../Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ');
  const instructions = [...text.matchAll(/^([A-Z]+)\s+(.+)$/gm)].map(([, keyword = '', rest = '']) => ({
    keyword,
    rest: rest.trim(),
  }));
  const stages: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

export interface Copy {
  /** The stage to copy from; undefined for the repository. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export function copiesOf(stage: readonly Instruction[]): readonly Copy[] {
  return stage
    .filter(({ keyword }) => keyword === 'COPY')
    .map(({ rest }) => {
      const words = rest.split(/\s+/);
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const paths = words.filter((word) => !word.startsWith('--'));
      return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}

/** The last instruction with that name, in its JSON form. */
export function commandOf(stage: readonly Instruction[], keyword: string): readonly string[] {
  const rest = stage.findLast((instruction) => instruction.keyword === keyword)?.rest ?? '[]';
  return JSON.parse(rest.slice(rest.indexOf('['))) as string[];
}
