import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads the pids of processes, one a line, `-PID` for one that has ended, and `done` at an orderly end. When its input
 * ends without that, its parent was killed: then it kills what is left and removes the folder. A shell needs nothing of
 * the test process or of Node.
 */
const script = `
pids=' '
while read -r line; do
  case "$line" in
    done) exit 0 ;;
    -*) pids=$(printf '%s' "$pids" | sed "s/ \${line#-} / /") ;;
    *) pids="$pids$line " ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
rm -rf "$1"
`;

/** Cleans up after the supervisor where the supervisor itself is killed. */
export class ProcessReaper {
  readonly #child: ChildProcess;

  constructor(folder: string) {
    // In a session of its own, so that no signal to a group reaches it. Its output stays open as long as it runs.
    this.#child = spawn('/bin/sh', ['-c', script, 'reaper', folder], {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    });
    // Without a shell there is no reaper, and the supervisor works all the same.
    this.#child.on('error', () => undefined);
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  add(pid: number | undefined): void {
    if (pid !== undefined) this.#write(String(pid));
  }

  remove(pid: number | undefined): void {
    if (pid !== undefined) this.#write(`-${pid}`);
  }

  /** Everything has ended in order. */
  done(): void {
    this.#write('done');
    this.#child.stdin?.end();
  }

  #write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}
