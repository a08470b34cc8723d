// A process of its own that migrates the database of its argument and prints what it applied.
import { migrate } from '../../../src/database/migrate';

void migrate(process.argv[2] ?? '').then((applied) => process.stdout.write(JSON.stringify(applied)));
