// A separate process that migrates the database given as argument, and prints what it applied and, on standard error,
// what it waits for.
import { migrate } from '../../../src/database/migrate';

migrate(process.argv[2] ?? '', { log: (line) => process.stderr.write(`${line}\n`) }).then(
  (applied) => process.stdout.write(JSON.stringify(applied)),
  (error: Error) => {
    process.stderr.write(error.message);
    process.exitCode = 1;
  },
);
