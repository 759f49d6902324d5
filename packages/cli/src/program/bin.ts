import { readFileSync } from 'node:fs';
import { runProgram } from './program.ts';
import { Terminal } from '../terminal/terminal.ts';

// By its name: the bundle is in another folder than this source.
const manifest = readFileSync(new URL(import.meta.resolve('@keelson/cli/package.json')), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string };
for (const stream of [process.stdout, process.stderr]) {
  // A reader such as head may close its end early; the rest of the output is dropped.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const terminal = new Terminal(process.stdout, process.stderr);
process.exitCode = await runProgram(process.argv.slice(2), terminal, version);
