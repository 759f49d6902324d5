#!/usr/bin/env node
// npm links a command only if its file exists at the install, which is before the first build.
await import('../dist/bin.js');
