import { readFileSync } from 'node:fs';
import { runProgram } from './program.ts';
import { terminalConfirm } from '../terminal/confirm.ts';
import { EXIT_FAILED, Terminal } from '../terminal/terminal.ts';

// By its name: the bundle is in another folder than this source.
const manifest = readFileSync(new URL(import.meta.resolve('@keelson/cli/package.json')), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string };
let isOutputLost = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as head may close its end early; the rest of the output is dropped.
    if (error.code === 'EPIPE') return;
    // Each further write fails too.
    if (stream === process.stdout && !isOutputLost) {
      terminal.complain(`error: the output cannot be written: ${error.message}`);
    }
    isOutputLost = true;
    process.exitCode = EXIT_FAILED;
  });
}

const terminal = new Terminal(process.stdout, process.stderr);
const confirm = terminalConfirm(process.stdin, process.stdout);
const exitCode = await runProgram(process.argv.slice(2), terminal, version, confirm);
process.exitCode = isOutputLost ? EXIT_FAILED : exitCode;
