import { describe, expect, test } from 'vitest';
import { samples } from '../samples.ts';
import { runHere } from './run-here.ts';

describe('commerce-mcp without an account', () => {
  test('lists the documented tools, and says that they are', async () => {
    const { code, stdout, stderr } = await runHere(['tools']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^get_daily_close {2}\(about \d+ tokens\)\n {2}One day: /);
    expect(stdout).toMatch(new RegExp(`\n${samples.length} tools, about [\\d,]+ tokens together`));
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toContain('No account is configured');
  });

  test('lists them as JSON for scripts, the note apart', async () => {
    const { stdout } = await runHere(['tools', '--json', '--toolsets', 'orders']);
    const { tools } = JSON.parse(stdout);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'get_order',
      'list_order_changes',
      'list_order_items',
      'list_orders',
    ]);
  });

  test('refuses a wrong setting all the same', async () => {
    const { code, stderr } = await runHere(['tools'], { COMMERCE_TOOLSETS: 'ordrs' });
    expect(code).toBe(2);
    expect(stderr).toContain('COMMERCE_TOOLSETS knows no "ordrs"');
  });

  test('says the tool that is meant before it asks for settings', async () => {
    const { code, stderr } = await runHere(['call', 'list_ordrs', 'period=yesterday']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no tool "list_ordrs". Did you mean list_orders?');
  });
});

describe('commerce-mcp call', () => {
  const settings = {
    COMMERCE_BASE_URL: 'http://127.0.0.1:1',
    COMMERCE_AUTH_URL: 'http://127.0.0.1:1',
    COMMERCE_CLIENT_ID: 'ck_acme.1',
    COMMERCE_CLIENT_SECRET: 'the-secret-of-acme',
  };

  test('says the argument that is meant, and asks nothing of the platform', async () => {
    const { code, stderr, stdout } = await runHere(
      ['call', 'list_orders', 'periode=today'],
      settings,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('list_orders has no argument "periode". Did you mean period?');
    expect(stderr).not.toContain('\u001b');
  });

  test('prints in a pipe what a model reads', async () => {
    const { stdout } = await runHere(['call', 'list_shops', '--sandbox']);
    expect(stdout).toMatch(/^list_shops: \d+ shops; as of /);
    expect(stdout).toContain('|');
    expect(stdout).not.toContain('\u001b');
  });
});
