// Preloaded into a process: when it ends, writes the packages it has loaded to the file named by LOADED_MODULES.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const packages = Object.keys(require.cache).map((path) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    return name;
  });
  writeFileSync(process.env.LOADED_MODULES, JSON.stringify([...new Set(packages.filter(Boolean))].sort()));
});
