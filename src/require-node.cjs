// Ends the process with a sentence where Node is too old for everything else. Read by any Node: it has no newer syntax.
var version = process.versions.node.split('.').map(Number);
var isSupported =
  version[0] >= 24 || (version[0] === 22 && version[1] >= 12) || (version[0] === 20 && version[1] >= 19);
if (!isSupported) {
  process.stderr.write(
    'Node ' +
      process.versions.node +
      ' is not supported. Install Node ^20.19 || ^22.12 || >=24 and run `npm ci` again.\n',
  );
  process.exit(1);
}
