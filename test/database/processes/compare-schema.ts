// Compares the database given as argument with the datamodels in prisma/schema.prisma and prints the difference.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../src/common/project-root';
import { openSchemaEngine } from '../schema-engine';

async function compare(url: string): Promise<string | null> {
  const path = join(projectRoot, 'prisma/schema.prisma');
  const files = [{ path, content: readFileSync(path, 'utf8') }];
  const { engine, close } = await openSchemaEngine(url, [[path, files[0]?.content ?? '']]);
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: projectRoot },
      to: { tag: 'schemaDatamodel', files },
      script: false,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout;
  } finally {
    await close();
  }
}

void compare(process.argv[2] ?? '').then((difference) => process.stdout.write(difference ?? ''));
