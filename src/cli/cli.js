#!/usr/bin/env node
// Every Node from 10 on reads this file: no static import, and no syntax that is younger than 2018.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  const { version, execPath } = process;
  console.error(
    `commerce-mcp needs Node 20.19 or newer, this is ${version.slice(1)} (${execPath}). Get one at https://nodejs.org`,
  );
  process.exitCode = 2;
} else {
  // Newer ones keep compiled code between starts; neither function is there in all of them.
  const { enableCompileCache } = process.getBuiltinModule ? process.getBuiltinModule('module') : {};
  if (enableCompileCache) enableCompileCache();
  // Stacks name lines of src; reading the source maps takes time at the start.
  if ([process.env.COMMERCE_LOG_LEVEL].concat(process.argv).join(' ').includes('debug'))
    process.setSourceMapsEnabled(true);
  import('./main.js');
}
