import { join } from 'node:path';

/** What the build copies from other packages (scripts/build.mjs), and pages load. */
export const vendorFile = (name: string) => ({ name, path: join(__dirname, '../../vendor', name) });
