import { rateLimitHeaders } from '../../src/rate-limit/rate-limiter';

describe('rate limit headers (D19)', () => {
  it('report limit, remaining calls, seconds and policy of an admitted call', () => {
    expect(rateLimitHeaders({ admitted: true, limit: 120, remaining: 119, resetSeconds: 60 })).toEqual({
      'RateLimit-Limit': '120',
      'RateLimit-Remaining': '119',
      'RateLimit-Reset': '60',
      'RateLimit-Policy': '120;w=60',
    });
  });

  it('report to a refused call how long to wait', () => {
    expect(rateLimitHeaders({ admitted: false, limit: 3, remaining: 0, resetSeconds: 17 })).toEqual({
      'RateLimit-Limit': '3',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '17',
      'RateLimit-Policy': '3;w=60',
      'Retry-After': '17',
    });
  });
});
