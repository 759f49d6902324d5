import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Memory of a process in bytes, with the names of `process.memoryUsage()`. */
export interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Processor time since the start in microseconds. */
  readonly cpu: number;
}

/** Preloaded into the server process. Responds to a message with the memory; `true` requests a garbage collection first. */
const reporter = `
  process.on('message', (collect) => {
    if (collect) globalThis.gc();
    const { user, system } = process.cpuUsage();
    process.send({ ...process.memoryUsage(), cpu: user + system });
  });
  process.once('disconnect', () => process.exit());
`;

/** The stand-alone server, as \`npx keelson-apiserver\` starts it. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(flags: readonly string[]): Promise<ServerProcess> {
    const program = fileURLToPath(new URL('../bin/keelson-apiserver.js', import.meta.url));
    const preload = `data:text/javascript,${encodeURIComponent(reporter)}`;
    const words = [...flags, '--expose-gc', '--import', preload, program];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const { stdout } = child;
    if (stdout === null) throw new Error('the server has no output');
    const [line] = (await once(createInterface(stdout), 'line')) as [string];
    return new ServerProcess(child, Number(new URL(line.slice('listening on '.length)).port));
  }

  async memory({ collect }: { readonly collect: boolean }): Promise<Memory> {
    const message = once(this.#child, 'message');
    this.#child.send(collect);
    const [memory] = (await message) as [Memory];
    return memory;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const end = once(this.#child, 'exit');
    this.#child.disconnect();
    await end;
  }
}
