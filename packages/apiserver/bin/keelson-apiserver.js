#!/usr/bin/env node
// npm links a command only if its file is there at the install, which is before the first build.
await import('../dist/cli/bin.js');
