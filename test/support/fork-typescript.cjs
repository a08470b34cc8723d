// Jest compiles the modules that it requires; processes that the code under test forks compile their sources with the
// hook.
process.execArgv.push('--require', require.resolve('./typescript-hook.cjs'));
