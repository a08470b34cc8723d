// Preloaded: writes the packages that the process has loaded to the file that LOADED_MODULES names, when it ends.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const packages = Object.keys(require.cache).map((path) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    return name;
  });
  writeFileSync(process.env.LOADED_MODULES, JSON.stringify([...new Set(packages.filter(Boolean))].sort()));
});
