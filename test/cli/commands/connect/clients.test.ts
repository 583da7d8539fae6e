import { describe, expect, test } from 'vitest';
import { type ClientName, clients } from '../../../../src/cli/commands/connect/clients.ts';
import type { Machine } from '../../../../src/cli/commands/connect/machine.ts';

const linux: Machine = { platform: 'linux', env: {}, home: '/home/ada' };
const mac: Machine = { platform: 'darwin', env: {}, home: '/Users/ada' };
const windows: Machine = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
  home: 'C:\\Users\\ada',
};

describe('the configuration of a client', () => {
  test.each<[ClientName, onLinux: string, onMac: string, onWindows: string]>([
    [
      'claude-desktop',
      '/home/ada/.config/Claude/claude_desktop_config.json',
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    [
      'claude-code',
      '/home/ada/.claude.json',
      '/Users/ada/.claude.json',
      'C:\\Users\\ada\\.claude.json',
    ],
    [
      'vscode',
      '/home/ada/.config/Code/User/mcp.json',
      '/Users/ada/Library/Application Support/Code/User/mcp.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
    ],
    [
      'cursor',
      '/home/ada/.cursor/mcp.json',
      '/Users/ada/.cursor/mcp.json',
      'C:\\Users\\ada\\.cursor\\mcp.json',
    ],
    [
      'windsurf',
      '/home/ada/.codeium/windsurf/mcp_config.json',
      '/Users/ada/.codeium/windsurf/mcp_config.json',
      'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
    ],
    [
      'codex',
      '/home/ada/.codex/config.toml',
      '/Users/ada/.codex/config.toml',
      'C:\\Users\\ada\\.codex\\config.toml',
    ],
    [
      'gemini',
      '/home/ada/.gemini/settings.json',
      '/Users/ada/.gemini/settings.json',
      'C:\\Users\\ada\\.gemini\\settings.json',
    ],
    [
      'goose',
      '/home/ada/.config/goose/config.yaml',
      '/Users/ada/.config/goose/config.yaml',
      'C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    ],
  ])('of %s lies where its documentation says', (id, onLinux, onMac, onWindows) => {
    const { file } = clients[id];
    expect([file(linux), file(mac), file(windows)]).toEqual([onLinux, onMac, onWindows]);
  });

  test('follows the variables that move it', () => {
    const env = { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d' };
    const moved: Machine = { ...linux, env };
    expect(clients.goose.file(moved)).toBe('/x/goose/config.yaml');
    expect(clients.codex.file(moved)).toBe('/c/config.toml');
    expect(clients['claude-code'].file(moved)).toBe('/d/.claude.json');
  });
});
