import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendRaw } from '../support/raw-http';
import { useService } from '../support/service';

const service = useService({ rateLimit: 50 });

describe('/oauth/token (D13)', () => {
  it('responds with 413 to unbounded chunks beyond 16 kB: it reads no further', async () => {
    const head =
      'POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n';
    // The last chunk, which would end the body, is never sent.
    const answers = await sendRaw(service.origin, head, `4001\r\n${'x'.repeat(0x4001)}\r\n`);
    expect(answers).toMatchObject([
      { status: 413, headers: { connection: 'close' }, body: { error: 'invalid_request' } },
    ]);
  });
});

describe('public documents', () => {
  it('serves the OpenAPI document with the URLs of this installation, to anyone', async () => {
    const { status, body, headers } = await service.client().call('/v1/openapi.json');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', etag: expect.any(String) as string });
    const text = readFileSync(join(__dirname, '../../rest/openapi.yaml'), 'utf8');
    const servers = [{ url: `${service.publicUrl}/v1`, description: 'Development' }];
    const given = parse(text.replaceAll('https://api.catalog.example', service.publicUrl)) as object;
    expect(body).toEqual({ ...given, servers });
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    const again = await service
      .client()
      .call('/v1/openapi.json', { headers: { 'If-None-Match': String(headers['etag']) } });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each([
    ['oauth-authorization-server', { token_endpoint: '/oauth/token' }],
    ['oauth-protected-resource', { resource: '' }],
    ['oauth-protected-resource/v1', { resource: '/v1' }],
  ])('serves /.well-known/%s with URLs from PUBLIC_URL, whatever Host says (D17)', async (name, expected) => {
    const { status, body } = await service.client().call(`/.well-known/${name}`, { headers: { Host: 'evil.example' } });
    const [[member, path]] = Object.entries(expected) as [[string, string]];
    expect(status).toBe(200);
    expect((body as Record<string, unknown>)[member]).toBe(`${service.publicUrl}${path}`);
    expect(JSON.stringify(body)).not.toContain('evil.example');
  });
});
