// Jest compiles what it requires; processes that the code under test forks compile their sources by the hook.
process.execArgv.push('--require', require.resolve('./typescript-hook.cjs'));
