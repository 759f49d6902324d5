import { spawn, type ChildProcess } from 'node:child_process';

/**
 * The script reads one pid per line, `-PID` for a process that has ended, and `done` at a graceful shutdown. If its
 * input ends without `done`, the supervisor was killed: the script kills the remaining processes, waits until they have
 * ended, for 5 s at most, and removes the folder. On a busy machine a killed process runs on for some time, and would
 * write into the folder. It is a shell script, so that it works after Node.js is killed.
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
polls=0
for pid in $pids; do
  while [ $polls -lt 250 ]; do
    case "$(ps -o stat= -p "$pid" 2>/dev/null)" in ''|Z*) break ;; esac
    polls=$((polls + 1))
    sleep 0.02
  done
done
rm -rf "$1"
`;

/** Kills the supervised processes if the supervisor itself is killed. */
export class ProcessReaper {
  readonly #child: ChildProcess;

  constructor(folder: string) {
    // In its own session, so that signals to the process group do not end it. It inherits the output: a test waits
    // for its end.
    this.#child = spawn('/bin/sh', ['-c', script, 'reaper', folder], {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    });
    // If /bin/sh is missing, the supervisor works without a reaper.
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

  /** Reports a graceful shutdown: the reaper then ends without killing a process. */
  done(): void {
    this.#write('done');
    this.#child.stdin?.end();
  }

  #write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}
