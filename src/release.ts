import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root';

const { name, version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Record<string, string>;

/** Which program this is, as in `catalog-read-api 1.0.0`. */
export const release = `${name} ${version}`;
