import { useImportHarness } from './import-harness';

const harness = useImportHarness();

const csv = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');

describe('a refusal', () => {
  it('shows the first fifty and counts the others', async () => {
    const shop = await harness.createShop();
    const rows = Array.from({ length: 700 }, (_, index) => `p${index},P,${index % 2 ? 'x' : 'y'}`);
    const refused = await shop.refusal(csv('Handle,Title,Variant Price', ...rows));
    expect(refused).toContain('700 problems found. Nothing was imported. The first 49 others:');
    expect(refused).toContain('column "Variant Price": expected a decimal number such as 19.90 (700 times)');
    expect(refused.match(/^ {2}line \d+: got/gm)).toHaveLength(49);
  });

  it('shows no e-mail address, nor does a warning (D25)', async () => {
    const shop = await harness.createShop();
    const handles = 'Handle,Title,Option1 Value,Price\na@b.example,T,S,1\na@b.example,,L,1\n';
    await shop.import(handles);
    const { warnings } = await shop.import('URL handle,Title,Price\na@b.example,T,1\n');
    expect(warnings.join()).toContain('some variants of 1 product ([e-mail address]) were not updated');
    expect(JSON.stringify(warnings)).not.toMatch(/@/);
  });
});
