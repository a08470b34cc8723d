import { describeDatabase, parseConnectionTarget } from '../../src/config/connection-target';
import { postgresUrls } from '../../src/config/setting-rules';

describe('a database URL', () => {
  it.each([
    ['postgresql://catalog:secret@db:5432/catalog', ['postgresql://catalog:secret@db:5432/catalog']],
    ['postgres://db/catalog?sslmode=verify-full', ['postgres://db/catalog?sslmode=verify-full']],
    [
      'postgresql://u:p@a:5432,b:5433/catalog?target_session_attrs=read-write&sslmode=require',
      ['postgresql://u:p@a:5432/catalog?sslmode=verify-full', 'postgresql://u:p@b:5433/catalog?sslmode=verify-full'],
    ],
    ['postgresql://u@a,[::1]:5433/catalog', ['postgresql://u@a/catalog', 'postgresql://u@[::1]:5433/catalog']],
    ['postgresql://db/catalog?target_session_attrs=primary', ['postgresql://db/catalog']],
    ['postgresql:///catalog?host=/run/postgresql', ['postgresql:///catalog?host=/run/postgresql']],
  ])('%s has the hosts %j', (text, urls) => {
    const target = parseConnectionTarget(text);
    expect(target.urls.map(decodeURIComponent)).toEqual(urls);
    expect(target.isPooled).toBe(false);
  });

  it('reports with pgbouncer=true, as Prisma spells it, that a pooler is in front', () => {
    expect(parseConnectionTarget('postgresql://db/catalog?pgbouncer=true')).toEqual({
      urls: ['postgresql://db/catalog'],
      isPooled: true,
    });
  });

  it.each([
    ['mysql://db/catalog', 'a postgresql:// URL'],
    ['postgresql://a:5432,b:many/catalog', 'a postgresql:// URL'],
    ['catalog', 'a postgresql:// URL'],
    ['postgresql://a,b/catalog?target_session_attrs=standby', 'target_session_attrs of read-write or primary'],
    ['postgresql://db/catalog?pgbouncer=yes', 'pgbouncer to be true or false'],
  ])('%s is rejected: expected %s', (text, expected) => expect(() => parseConnectionTarget(text)).toThrow(expected));

  it('of a replica cannot have target_session_attrs', () =>
    expect(postgresUrls.safeParse('postgresql://r/c?target_session_attrs=primary').success).toBe(false));

  it.each([
    ['postgresql://u:p@a:1,b', 'The database on a:1 or b'],
    ['postgresql:///catalog?host=/run/postgresql', 'The database catalog on /run/postgresql'],
  ])('%s is described as "%s"', (text, name) => expect(describeDatabase(parseConnectionTarget(text))).toBe(name));

  it('is never shown when it is rejected', () => {
    for (const text of ['postgresql://u:hunter22@a:5432,b:many/c', 'postgresql://u:hunter22@a/c?pgbouncer=1']) {
      try {
        parseConnectionTarget(text);
        throw new Error('accepted');
      } catch (error) {
        expect(String(error)).not.toMatch(/hunter22|accepted/);
      }
    }
  });
});
