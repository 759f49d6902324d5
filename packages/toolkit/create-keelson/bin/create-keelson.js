#!/usr/bin/env node
// Before the import: the program uses what an older Node.js lacks, and would fail at any point with a TypeError.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: create-keelson needs Node.js 22.19 or newer, and this is ${process.versions.node}\n`,
  );
  process.exit(1);
}

// npm links a command only if its file exists at the install, which is before the first build.
await import('../dist/bin.js');
