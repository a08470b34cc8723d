import { runCli } from '../../src/cli/run-cli';
import { formatNames } from '../../src/ingest/formats/descriptions';

async function run(...words: readonly string[]) {
  let [output, errors] = ['', ''];
  const code = await runCli(['formats', ...words], {
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
  });
  return { code, output, errors };
}

describe('catalog formats', () => {
  it.each(formatNames)('lists what is read of %s', async (name) => {
    const { code, output } = await run(name, '--json');
    expect(code).toBe(0);
    const rows = JSON.parse(output) as [string, string][];
    expect(rows.length).toBeGreaterThan(3);
    for (const [column, becomes] of rows) expect([column, becomes]).not.toContain('');
  });

  it('shows a table', async () => {
    expect((await run('shopify-products')).output).toMatch(/^COLUMN +BECOMES\n[^]*^Variant Price +variants\.price$/m);
  });

  it('refuses a format that does not exist, and lists those that do', async () => {
    const { code, errors } = await run('shopify');
    expect(code).toBe(2);
    expect(errors).toContain('unknown format "shopify"');
    expect(errors).toContain('shopify-products');
  });

  it('shows the details of an unexpected error with LOG_LEVEL=debug', async () => {
    jest.replaceProperty(process, 'env', { LOG_LEVEL: 'debug' });
    const write = jest.fn().mockImplementationOnce(() => { throw new Error('disk full'); }); // prettier-ignore
    await runCli(['formats', 'shopify-products'], { stdout: { write }, stderr: { write } });
    expect(write.mock.calls.join('')).toMatch(/Error: disk full\n\s+at /);
  });
});
