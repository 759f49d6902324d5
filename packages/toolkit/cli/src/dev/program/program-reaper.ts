import { spawn, type ChildProcess } from 'node:child_process';

/**
 * The script reads the pid of the program that runs, or an empty line when it has ended, and `done` at a graceful end. If
 * its input ends without `done`, keelson was killed: the script ends the program as keelson would, and removes the
 * file with the credentials. It is a shell script, so that it works after Node.js is killed.
 */
const script = `
pid=
while read -r line; do
  [ "$line" = done ] && exit 0
  pid=$line
done
rm -f "$1"
[ -n "$pid" ] || exit 0
kill -TERM "$pid" 2>/dev/null
for second in 1 2 3 4 5; do
  kill -0 "$pid" 2>/dev/null || break
  sleep 1
done
kill -KILL "-$pid" 2>/dev/null
`;

/** Ends the program if keelson itself is killed. */
export class ProgramReaper {
  readonly #child: ChildProcess;

  /** `file` is removed if keelson is killed; empty for none. */
  constructor(file: string) {
    // In its own session, so that signals to the process group do not end it.
    this.#child = spawn('/bin/sh', ['-c', script, 'reaper', file], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Without /bin/sh, keelson works without a reaper.
    this.#child.on('error', () => undefined);
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  /** Replaces the program to end; undefined if none runs. */
  watch(pid: number | undefined): void {
    this.#child.stdin?.write(`${pid ?? ''}\n`);
  }

  /** Reports a graceful end. */
  done(): void {
    this.#child.stdin?.end('done\n');
  }
}
