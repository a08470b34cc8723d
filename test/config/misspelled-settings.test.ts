import { loadConfig } from '../../src/config/config';
import { fc } from '../support/properties';

const misspelled = (environment: Readonly<Record<string, string>>) =>
  loadConfig(environment).misspelled.map((line) => line.replace(/ is not a setting .* Did you mean (\w+)\?$/, ': $1'));

const settings = [
  'DATABASE_URL',
  'REDIS_URL',
  'CURSOR_SECRET',
  'TRUST_PROXY',
  'SHUTDOWN_DELAY_MS',
  'DATABASE_URL_FILE',
];

describe('a variable whose name is almost that of a setting', () => {
  it.each([
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['PROT', 'PORT'],
  ])('%s is reported as %s', (name, meant) => {
    expect(misspelled({ [name]: 'x' })).toEqual([`${name}: ${meant}`]);
  });

  it('is reported wherever up to two letters are missing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...settings), fc.nat(), fc.nat(), (setting, first, second) => {
        const once = setting.slice(0, first % setting.length) + setting.slice((first % setting.length) + 1);
        const twice = once.slice(0, second % once.length) + once.slice((second % once.length) + 1);
        for (const name of [once, twice]) {
          if (!settings.includes(name)) expect(misspelled({ [name]: 'x' })).toHaveLength(1);
        }
      }),
    );
  });

  it('is not reported if the setting itself is set, nor are variables of other programs', () => {
    expect(misspelled({ REDIS_URI: 'x', REDIS_URL: 'redis://localhost' })).toEqual([]);
    const common =
      'PATH HOME USER SHELL TERM LANG LC_ALL LOGNAME PWD OLDPWD HOSTNAME MAIL EDITOR TZ TMPDIR DISPLAY SHLVL PS1 HOSTTYPE ' +
      'OSTYPE HOSTS NODE_PATH NODE_OPTIONS NODE_VERSION NPM_CONFIG_CACHE INIT_CWD CI DEBUG PGHOST PGPORT PGUSER PGDATABASE ' +
      'POSTGRES_DB POSTGRES_PASSWORD POSTGRES_USER REDIS_HOST REDIS_PORT AWS_REGION KUBERNETES_PORT JAVA_HOME COLORTERM ' +
      'SSH_CLIENT SSH_TTY XDG_DATA_DIRS XDG_DATA_HOME DBUS_SESSION_BUS_ADDRESS LS_COLORS PUBLIC_URL_BASE YARN_VERSION _';
    expect(misspelled(Object.fromEntries(common.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });
});
